#include "in_use.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>

namespace libsgemm::hip {
namespace {

#if defined(__HIP_PLATFORM_AMD__)
// Asks ROCr, the layer below HIP, which is loaded with libamdhip64. A call of HIP would initialise it, and without a
// GPU try again each time, for 20 us.
bool ask_runtime_in_use() {
  constexpr int kNotInitialised = 0x100b, kVersionMajor = 0;  // HSA_STATUS_ERROR_NOT_INITIALIZED, HSA_SYSTEM_INFO_...
  using GetInfo = int (*)(int, void *);
  static std::atomic<GetInfo> known{nullptr};
  GetInfo get_info = known.load(std::memory_order_relaxed);
  if (get_info == nullptr) {
    void *library = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return false;
    get_info = reinterpret_cast<GetInfo>(dlsym(library, "hsa_system_get_info"));
    if (get_info == nullptr) return true;  // unknown
    known.store(get_info, std::memory_order_relaxed);
  }
  uint16_t version = 0;
  return get_info(kVersionMajor, &version) != kNotInitialised;
}
#else
bool ask_runtime_in_use() { return true; }
#endif

}  // namespace

bool runtime_in_use() {
  static std::atomic<bool> in_use{false};  // stays true
  if (in_use.load(std::memory_order_relaxed)) return true;
  if (!ask_runtime_in_use()) return false;
  in_use.store(true, std::memory_order_relaxed);
  return true;
}

}  // namespace libsgemm::hip

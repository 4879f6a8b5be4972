// The current device, devices that were lost, and whether the runtime has been initialised.
#include "scope.h"

#include <dlfcn.h>

#include <atomic>

#include "device.h"

namespace libsgemm::hip {
namespace {

struct State {
  std::atomic<bool> used{false};
  std::atomic<hipError_t> lost{hipSuccess};
};

// By index. Made at the first entry, which is after enumerate(); never destroyed.
State *states() {
  static State *all = new State[static_cast<size_t>(device_count())];
  return all;
}

#if defined(__HIP_PLATFORM_AMD__)
// Asked of the layer below (ROCr, which libamdhip64 has loaded if anyone has): every call of HIP itself would
// initialise it, and on a machine without a GPU try to again and again, which takes 20 us a time.
bool ask_runtime_in_use() {
  constexpr int kNotInitialised = 0x100b, kVersionMajor = 0;  // HSA_STATUS_ERROR_NOT_INITIALIZED, HSA_SYSTEM_INFO_...
  using GetInfo = int (*)(int, void *);
  static std::atomic<GetInfo> known{nullptr};
  GetInfo get_info = known.load(std::memory_order_relaxed);
  if (get_info == nullptr) {
    void *library = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return false;
    get_info = reinterpret_cast<GetInfo>(dlsym(library, "hsa_system_get_info"));
    if (get_info == nullptr) return true;  // cannot be told
    known.store(get_info, std::memory_order_relaxed);
  }
  uint16_t version = 0;
  return get_info(kVersionMajor, &version) != kNotInitialised;
}
#else
bool ask_runtime_in_use() { return true; }
#endif

}  // namespace

Scope::~Scope() {
  if (before_ >= 0) static_cast<void>(hipSetDevice(before_));
}

libsgemm_status_t Scope::enter(int index, Error *error) {
  State &state = states()[index];
  const Device &to = device(index);
  const hipError_t lost = state.lost.load(std::memory_order_relaxed);
  if (lost != hipSuccess) {
    set_error(error, "device %d (%s) was lost earlier in this process: %s", to.ordinal, to.name,
              hipGetErrorString(lost));
    return LIBSGEMM_EXECUTION_FAILED;
  }
  int before = -1;
  hipError_t code = hipGetDevice(&before);
  if (code == hipSuccess && before != to.ordinal) {
    code = hipSetDevice(to.ordinal);
    if (code == hipSuccess) before_ = before;
  }
  if (code != hipSuccess) {
    set_error(error, "device %d cannot be used: %s", to.ordinal, hipGetErrorString(code));
    static_cast<void>(hipGetLastError());
    return LIBSGEMM_EXECUTION_FAILED;
  }
  state.used.store(true, std::memory_order_relaxed);
  return LIBSGEMM_SUCCESS;
}

bool in_use(int index) {
  int current = -1;
  return states()[index].used.load(std::memory_order_relaxed) ||
         (hipGetDevice(&current) == hipSuccess && current == device(index).ordinal);
}

bool runtime_in_use() {
  static std::atomic<bool> in_use{false};  // once it is, it stays
  if (in_use.load(std::memory_order_relaxed)) return true;
  if (!ask_runtime_in_use()) return false;
  in_use.store(true, std::memory_order_relaxed);
  return true;
}

void mark_lost(hipError_t code) {
  int current = -1;
  if (hipGetDevice(&current) != hipSuccess) return;
  const int index = index_of(current);
  if (index >= 0) states()[index].lost.store(code, std::memory_order_relaxed);
}

bool is_fatal(hipError_t code) {
  switch (code) {
    case hipErrorIllegalAddress:
    case hipErrorLaunchTimeOut:
    case hipErrorContextIsDestroyed:
    case hipErrorAssert:
    case hipErrorLaunchFailure:
    case hipErrorECCNotCorrectable:
      return true;
    default:
      return false;
  }
}

}  // namespace libsgemm::hip

#include "code.h"

#include <atomic>

#include "devices.h"
#include "gpu/device_model.h"

namespace libsgemm::gpu {
namespace {

// Fatal error code of each device. Allocated after enumerate(), never destroyed.
std::atomic<Code> &lost(int index) {
  static std::atomic<Code> *all = [] {
    auto *codes = new std::atomic<Code>[static_cast<size_t>(device_count())];
    for (int i = 0; i < device_count(); ++i) codes[i].store(kSuccess, std::memory_order_relaxed);
    return codes;
  }();
  return all[index];
}

}  // namespace

libsgemm_status_t status_of(Code code, int index, const char *what, Error *error) {
  if (succeeds(code)) return LIBSGEMM_SUCCESS;
  set_error(error, "%s: %s", what, LIBSGEMM_RUNTIME(GetErrorString)(code));
  if (index >= 0 && is_fatal(code)) lost(index).store(code, std::memory_order_relaxed);
  return code == LIBSGEMM_OUT_OF_MEMORY_CODE ? LIBSGEMM_OUT_OF_MEMORY : LIBSGEMM_EXECUTION_FAILED;
}

libsgemm_status_t refuse_lost(int index, Error *error) {
  const Code code = lost(index).load(std::memory_order_relaxed);
  if (code == kSuccess) return LIBSGEMM_SUCCESS;
  set_error(error, "device %d (%s) was lost earlier in this process: %s", model(index).ordinal, model(index).name,
            LIBSGEMM_RUNTIME(GetErrorString)(code));
  return LIBSGEMM_EXECUTION_FAILED;
}

}  // namespace libsgemm::gpu

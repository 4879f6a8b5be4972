#include "gpu/runtime/scope.h"

#include <atomic>

#include "gpu/device_model.h"
#include "gpu/runtime/devices.h"
#include "gpu/runtime/runtime.h"

namespace libsgemm::gpu {
namespace {

// The flags are allocated after enumerate(), and never destroyed.
std::atomic<bool> &used(int index) {
  static auto *all = new std::atomic<bool>[static_cast<size_t>(device_count())]();
  return all[index];
}

// HIP's number of the stream's device; -1 if unknown, as HIP before 5.6 cannot tell.
int ordinal_of(void *stream) {
  int ordinal = -1;
  if (is_default_stream(stream)) return succeeds(hipGetDevice(&ordinal)) ? ordinal : -1;
#if HIP_VERSION >= 50600000
  return succeeds(hipStreamGetDevice(static_cast<hipStream_t>(stream), &ordinal)) ? ordinal : -1;
#else
  return succeeds(hipGetDeviceCount(&ordinal)) && ordinal == 1 ? 0 : -1;
#endif
}

}  // namespace

Scope::~Scope() {
  if (changed_) succeeds(hipSetDevice(before_));
}

libsgemm_status_t Scope::set(Current to, Error *error) {
  hipError_t code = hipGetDevice(&before_);
  now_ = before_;
  if (code == hipSuccess && before_ != to) {
    code = hipSetDevice(to);
    if (code == hipSuccess) now_ = to;
    changed_ = code == hipSuccess;
  }
  if (succeeds(code)) return LIBSGEMM_SUCCESS;
  set_error(error, "device %d cannot be used: %s", to, hipGetErrorString(code));
  return LIBSGEMM_EXECUTION_FAILED;
}

libsgemm_status_t Scope::enter(int index, Error *error) {
  libsgemm_status_t status = refuse_lost(index, error);
  if (status == LIBSGEMM_SUCCESS) status = set(model(index).ordinal, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  index_ = index;
  used(index).store(true, std::memory_order_relaxed);
  return LIBSGEMM_SUCCESS;
}

// The current device stays if the stream's is unknown, or is none of the library's devices.
libsgemm_status_t Scope::enter_stream(void *stream, Error *error) {
  const int index = index_of(ordinal_of(stream));
  return index >= 0 ? enter(index, error) : LIBSGEMM_SUCCESS;
}

int stream_device(void *stream) {
  int ordinal = ordinal_of(stream);
  if (ordinal < 0 && !succeeds(hipGetDevice(&ordinal))) ordinal = -1;  // the current device
  return index_of(ordinal);
}

bool in_use(int index) {
  int current = -1;
  return used(index).load(std::memory_order_relaxed) ||
         (succeeds(hipGetDevice(&current)) && current == model(index).ordinal);
}

bool is_fatal(Code code) {
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

}  // namespace libsgemm::gpu

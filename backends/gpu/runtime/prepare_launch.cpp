// The part of a launch that all vendors share.
#include "prepare_launch.h"

namespace libsgemm::gpu {

libsgemm_status_t prepare_launch(const void *kernel, const Launch &launch, Scope *scope, Error *error) {
  if (launch.capturing && launch.stream == nullptr) {
    set_error(error, "the default stream cannot be used while a stream that waits for it records a graph");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  const libsgemm_status_t status = scope->enter(launch.device, error);
  if (status != LIBSGEMM_SUCCESS || !launch.capturing) return status;
  const RelaxedCapture relaxed;
  LIBSGEMM_RUNTIME(FuncAttributes) attributes;
  return status_of(LIBSGEMM_RUNTIME(FuncGetAttributes)(&attributes, kernel), launch.device, kLaunching, error);
}

}  // namespace libsgemm::gpu

#include "prepare_launch.h"

namespace libsgemm::gpu {

libsgemm_status_t prepare_launch(const void *kernel, const Launch &launch, Scope *scope, Error *error) {
  const libsgemm_status_t status = scope->enter(launch.device, error);
  if (status != LIBSGEMM_SUCCESS || (!launch.capturing && !launch.rehearsal)) return status;
  const RelaxedCapture relaxed;
  LIBSGEMM_RUNTIME(FuncAttributes) attributes;
  return status_of(LIBSGEMM_RUNTIME(FuncGetAttributes)(&attributes, kernel), launch.device, kLaunching, error);
}

}  // namespace libsgemm::gpu

#include "gpu/launch.h"

#include "gpu/fault.h"
#include "gpu/runtime/prepare_launch.h"

libsgemm_status_t libsgemm::gpu::launch_raw(const void *kernel, dim3 grid, dim3 block, size_t shared_bytes,
                                            const Launch &launch, void **arguments, Error *error) {
  Scope scope;
  const libsgemm_status_t status = prepare_launch(kernel, launch, &scope, error);
  if (status != LIBSGEMM_SUCCESS || launch.rehearsal) return status;
  const hipError_t code = fails(Site::launch) ? hipErrorLaunchOutOfResources
                                              : hipLaunchKernel(kernel, grid, block, arguments, shared_bytes,
                                                                static_cast<hipStream_t>(launch.stream));
  if (code == hipSuccess && launch.enqueued != nullptr) *launch.enqueued = true;
  return status_of(code, launch.device, kLaunching, error);
}

libsgemm_status_t libsgemm::gpu::clear(void *memory, size_t bytes, const Launch &launch, Error *error) {
  Scope scope;
  const libsgemm_status_t status = scope.enter(launch.device, error);
  if (status != LIBSGEMM_SUCCESS || launch.rehearsal) return status;
  return status_of(hipMemsetAsync(memory, 0, bytes, static_cast<hipStream_t>(launch.stream)), launch.device,
                   "clearing workspace", error);
}

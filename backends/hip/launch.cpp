// From a row of the table to the device.
#include "launch.h"

#include <cstdint>

#include "gpu/fault.h"
#include "scope.h"

namespace libsgemm::hip {
namespace {

// Loads the kernel, which is otherwise done at its first launch and may then wait for the device.
hipError_t load_for_graph(const void *kernel) {
  const RelaxedCapture relaxed;
  hipFuncAttributes attributes;
  return hipFuncGetAttributes(&attributes, kernel);
}

}  // namespace

libsgemm_status_t failure(hipError_t code, const char *what, Error *error) {
  set_error(error, "%s: %s", what, hipGetErrorString(code));
  if (is_fatal(code)) mark_lost(code);
  static_cast<void>(hipGetLastError());
  return code == hipErrorOutOfMemory ? LIBSGEMM_OUT_OF_MEMORY : LIBSGEMM_EXECUTION_FAILED;
}

}  // namespace libsgemm::hip

libsgemm_status_t libsgemm::gpu::launch_raw(const void *kernel, dim3 grid, dim3 block, size_t shared_bytes,
                                            const Launch &launch, void **arguments, Error *error) {
  using namespace hip;
  if (launch.capturing && launch.stream == nullptr) {
    set_error(error, "the default stream cannot be used while a stream that waits for it records a graph");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  Scope scope;
  const libsgemm_status_t status = scope.enter(launch.device, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  hipError_t code = launch.capturing ? load_for_graph(kernel) : hipSuccess;
  if (code == hipSuccess && fails(Site::launch)) code = hipErrorLaunchOutOfResources;
  if (code == hipSuccess) {
    code = hipLaunchKernel(kernel, grid, block, arguments, shared_bytes, static_cast<hipStream_t>(launch.stream));
  }
  return code == hipSuccess ? LIBSGEMM_SUCCESS : failure(code, "launching a kernel", error);
}

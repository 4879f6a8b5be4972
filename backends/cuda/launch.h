// Launching a kernel: the one way from a row of the table to the device.
#pragma once

#include <cuda_runtime.h>

#include "backend.h"

namespace libsgemm::cuda {

// Writes what went wrong into `error`, clears the runtime's last error, and returns the status that it means.
libsgemm_status_t failure(cudaError_t code, const char *what, Error *error);

// Enqueues zeros for device memory.
libsgemm_status_t clear(void *memory, size_t bytes, const Launch &launch, Error *error);

// Enqueues `kernel` on launch.stream of launch.device. `shared_bytes`: dynamic shared memory, beyond 48 KiB allowed.
// `cluster` blocks along x are a cluster.
libsgemm_status_t launch_raw(const void *kernel, unsigned cluster, dim3 grid, dim3 block, size_t shared_bytes,
                             const Launch &launch, void **arguments, Error *error);

// The same, with the arguments converted to the kernel's parameters.
template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_clusters(void (*kernel)(Parameters...), unsigned cluster, dim3 grid, dim3 block,
                                  size_t shared_bytes, const Launch &launch, Error *error,
                                  const Arguments &...arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each parameter");
  return [&](Parameters... values) {
    void *pointers[] = {&values...};
    return launch_raw(reinterpret_cast<const void *>(kernel), cluster, grid, block, shared_bytes, launch, pointers,
                      error);
  }(static_cast<Parameters>(arguments)...);
}

template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
                                const Launch &launch, Error *error, const Arguments &...arguments) {
  return launch_clusters(kernel, 1, grid, block, shared_bytes, launch, error, arguments...);
}

}  // namespace libsgemm::cuda

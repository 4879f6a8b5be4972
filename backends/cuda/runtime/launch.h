// Launching a kernel on an NVIDIA GPU: gpu/launch.h, and clusters of blocks.
#pragma once

#include <cuda_runtime.h>

#include "backend.h"
#include "gpu/launch.h"

namespace libsgemm::cuda {

using namespace gpu;

// Enqueues zeros for device memory.
libsgemm_status_t clear(void *memory, size_t bytes, const Launch &launch, Error *error);

// gpu::launch_raw() with dynamic shared memory beyond 48 KiB allowed. `cluster` blocks along x are a cluster.
libsgemm_status_t launch_cluster_raw(const void *kernel, unsigned cluster, dim3 grid, dim3 block, size_t shared_bytes,
                                     const Launch &launch, void **arguments, Error *error);

template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_clusters(void (*kernel)(Parameters...), unsigned cluster, dim3 grid, dim3 block,
                                  size_t shared_bytes, const Launch &launch, Error *error,
                                  const Arguments &...arguments) {
  const auto enqueue = [&](void **pointers) {
    return launch_cluster_raw(reinterpret_cast<const void *>(kernel), cluster, grid, block, shared_bytes, launch,
                              pointers, error);
  };
  return with_arguments(kernel, enqueue, arguments...);
}

}  // namespace libsgemm::cuda

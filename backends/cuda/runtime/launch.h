// Launches of CUDA kernels.
#pragma once

#include <cuda_runtime.h>

#include "contract/backend.h"
#include "gpu/launch.h"

namespace libsgemm::cuda {

using namespace gpu;

// Relation of a launch to thread block clusters and to the kernel before it.
struct Relation {
  unsigned cluster = 1;  // blocks, along x
  // The kernel calls ptx::wait_for_grid_before(), so on sm_90 it may start while the previous one runs.
  bool waits_itself = false;
};

// Permits more than 48 KiB of dynamic shared memory.
libsgemm_status_t launch_related_raw(const void *kernel, const Relation &relation, dim3 grid, dim3 block,
                                     size_t shared_bytes, const Launch &launch, void **arguments, Error *error);

template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_related(void (*kernel)(Parameters...), const Relation &relation, dim3 grid, dim3 block,
                                 size_t shared_bytes, const Launch &launch, Error *error,
                                 const Arguments &...arguments) {
  const auto enqueue = [&](void **pointers) {
    return launch_related_raw(reinterpret_cast<const void *>(kernel), relation, grid, block, shared_bytes, launch,
                              pointers, error);
  };
  return with_arguments(kernel, enqueue, arguments...);
}

template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_clusters(void (*kernel)(Parameters...), unsigned cluster, dim3 grid, dim3 block,
                                  size_t shared_bytes, const Launch &launch, Error *error,
                                  const Arguments &...arguments) {
  return launch_related(kernel, {cluster, false}, grid, block, shared_bytes, launch, error, arguments...);
}

template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_after(void (*kernel)(Parameters...), unsigned cluster, dim3 grid, dim3 block,
                               size_t shared_bytes, const Launch &launch, Error *error, const Arguments &...arguments) {
  return launch_related(kernel, {cluster, true}, grid, block, shared_bytes, launch, error, arguments...);
}

// Number of clusters of `cluster` blocks, one block per multiprocessor, that run at once. A cluster must fit into a
// group of multiprocessors (GPC), and chips differ in these. Each thread keeps its last answer.
libsgemm_status_t resident_clusters(const void *kernel, unsigned cluster, dim3 block, size_t shared_bytes,
                                    const Launch &launch, int *clusters, Error *error);

}  // namespace libsgemm::cuda

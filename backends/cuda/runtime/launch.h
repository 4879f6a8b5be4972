// Launching a kernel on an NVIDIA GPU: gpu/launch.h, and clusters of blocks.
#pragma once

#include <cuda_runtime.h>

#include "contract/backend.h"
#include "gpu/launch.h"

namespace libsgemm::cuda {

using namespace gpu;

// How blocks of a launch relate to others.
struct Relation {
  unsigned cluster = 1;  // so many blocks along x are a cluster
  // The kernel calls ptx::wait_for_grid_before() before it touches global memory: on sm_90 it may start while the one
  // before it on the stream still runs.
  bool waits_itself = false;
};

// gpu::launch_raw() with dynamic shared memory beyond 48 KiB allowed.
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

// The same of a kernel that waits itself for what is before it on the stream.
template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_after(void (*kernel)(Parameters...), unsigned cluster, dim3 grid, dim3 block,
                               size_t shared_bytes, const Launch &launch, Error *error, const Arguments &...arguments) {
  return launch_related(kernel, {cluster, true}, grid, block, shared_bytes, launch, error, arguments...);
}

// How many clusters of so many blocks, of which a multiprocessor has room for one, run on the device at once: chips
// differ in the groups of multiprocessors (GPCs) that a cluster must fit into. Of the last kernel asked for the answer
// is remembered, for all that take as much room.
libsgemm_status_t resident_clusters(const void *kernel, unsigned cluster, dim3 block, size_t shared_bytes,
                                    const Launch &launch, int *clusters, Error *error);

}  // namespace libsgemm::cuda

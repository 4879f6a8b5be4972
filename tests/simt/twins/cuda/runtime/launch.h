// Replaces backends/cuda/runtime/launch.h in the CPU emulation.
#pragma once

#include <cuda_runtime.h>

#include "gpu/launch.h"
#include "runtime/device.h"

namespace libsgemm::cuda {

using namespace gpu;

template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_clusters(void (*kernel)(Parameters...), unsigned cluster, dim3 grid, dim3 block,
                                  size_t shared_bytes, const Launch &launch, Error *error,
                                  const Arguments &...arguments) {
  return launch_on_cpu(kernel, {grid, block, shared_bytes, cluster}, launch, error, arguments...);
}

template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_after(void (*kernel)(Parameters...), unsigned cluster, dim3 grid, dim3 block,
                               size_t shared_bytes, const Launch &launch, Error *error, const Arguments &...arguments) {
  return launch_on_cpu(kernel, {grid, block, shared_bytes, cluster, 32, true}, launch, error, arguments...);
}

inline libsgemm_status_t resident_clusters(const void *, unsigned cluster, dim3, size_t, const Launch &launch,
                                           int *clusters, Error *) {
  *clusters = device(launch.device).compute_units / static_cast<int>(cluster);
  return LIBSGEMM_SUCCESS;
}

}  // namespace libsgemm::cuda

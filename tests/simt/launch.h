// Stands for backends/cuda/launch.h: the same function, which calls the kernel in the threads of the CPU.
#pragma once

#include <cuda_runtime.h>

#include <tuple>

#include "backend.h"

namespace libsgemm::cuda {

libsgemm_status_t launch_on_cpu(const void *kernel, const simt::Configuration &configuration,
                                const std::function<void()> &body, Error *error);

inline libsgemm_status_t clear(void *memory, size_t bytes, const Launch &, Error *) {
  std::memset(memory, 0, bytes);
  return LIBSGEMM_SUCCESS;
}

template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_clusters(void (*kernel)(Parameters...), unsigned cluster, dim3 grid, dim3 block,
                                  size_t shared_bytes, const Launch &, Error *error, const Arguments &...arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each parameter");
  static_assert((sizeof(Parameters) + ... + 0) <= 4096, "a kernel has at most 4 KiB of parameters");
  const std::tuple<Parameters...> values(static_cast<Parameters>(arguments)...);
  return launch_on_cpu(
      reinterpret_cast<const void *>(kernel), {grid, block, shared_bytes, cluster}, [&] { std::apply(kernel, values); },
      error);
}

template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
                                const Launch &launch, Error *error, const Arguments &...arguments) {
  return launch_clusters(kernel, 1, grid, block, shared_bytes, launch, error, arguments...);
}

}  // namespace libsgemm::cuda

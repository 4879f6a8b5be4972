// The dynamic shared memory of a kernel, aligned to 1024 bytes, which is what TMA needs at most.
#pragma once

#include <cuda_runtime.h>

namespace libsgemm::cuda {

__device__ __forceinline__ float *dynamic_shared() {
#ifdef __CUDACC__
  extern __shared__ __align__(1024) float4 libsgemm_dynamic_shared[];
  return reinterpret_cast<float *>(libsgemm_dynamic_shared);
#else
  return static_cast<float *>(simt::dynamic_shared());  // the tests run kernels on the CPU
#endif
}

}  // namespace libsgemm::cuda

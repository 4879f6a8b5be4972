// Aligned to 1024 bytes for TMA.
#pragma once

#include "gpu.h"

namespace libsgemm::gpu {

__device__ __forceinline__ float *dynamic_shared() {
#if defined(__CUDACC__) || defined(__HIP__)
  extern __shared__ __attribute__((aligned(1024))) Vec4 libsgemm_dynamic_shared[];
  return reinterpret_cast<float *>(libsgemm_dynamic_shared);
#else
  return static_cast<float *>(simt::dynamic_shared());  // tests on the CPU
#endif
}

}  // namespace libsgemm::gpu

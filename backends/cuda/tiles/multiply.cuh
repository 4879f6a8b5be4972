#pragma once

#include "gpu/gpu.h"

namespace libsgemm::cuda {

// Multiplies the fragments (gpu/tiles/tile.h) of one k. Every other row runs backwards, so that the operand at the turn
// is still in the register reuse cache.
template <class Config>
__device__ __forceinline__ void multiply(float (&sum)[Config::thread_m][Config::thread_n],
                                         const float (&a)[Config::thread_m], const float (&b)[Config::thread_n]) {
#pragma unroll
  for (int i = 0; i < Config::thread_m; ++i) {
#pragma unroll
    for (int jj = 0; jj < Config::thread_n; ++jj) {
      const int j = i % 2 == 0 ? jj : Config::thread_n - 1 - jj;
      sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
    }
  }
}

}  // namespace libsgemm::cuda

// Counts the tiles left to FP64 (fp64_share.h) in the kernels that compute them.
#pragma once

#include "fp64_share.h"
#include "gpu/cost.h"
#include "gpu/gpu.h"
#include "splits.h"

namespace libsgemm::gpu {

// Each product has rows x columns tiles of the guard.
struct Counting {
  uint32_t *to;  // NULL: count nothing
  int rows, columns, products;

  LIBSGEMM_HOST_DEVICE int64_t tiles() const { return int64_t{rows} * columns * products; }
};

// The launch's first warps count; blocks have kThreads threads.
template <int kThreads>
__device__ __forceinline__ void count_fp64_tiles(const Guard &guard, const Counting &c) {
  const int64_t block = blockIdx.x + static_cast<int64_t>(gridDim.x) * blockIdx.z;
  if (c.to == nullptr || block >= kCountingWarps) return;
  const unsigned warp = static_cast<unsigned>(block) * (kThreads / 32) + threadIdx.x / 32;
  if (warp >= counting_warps(c.tiles())) return;
  uint32_t left = 0;
  for (int64_t tile = 32 * warp + threadIdx.x % 32; tile < c.tiles(); tile += 32 * kCountingWarps) {
    const int i = static_cast<int>(tile % c.rows), j = static_cast<int>(tile / c.rows % c.columns);
    left += guard(tile / c.rows / c.columns, i, j) ? 1 : 0;
  }
  for (int mask = 16; mask > 0; mask /= 2) left += shuffle_xor(left, mask);
  if (threadIdx.x % 32 == 0) global(c.to)[warp] = left;
}

inline Counting fp64_counting(const GemmDesc &desc, int64_t products, const Launch &launch) {
  Counting c = {nullptr, static_cast<int>(ceil_div(desc.m, kOuterPad)), static_cast<int>(ceil_div(desc.n, kOuterPad)),
                static_cast<int>(products)};
  c.to = count_fp64(desc.ticket, c.tiles(), launch);
  return c;
}

}  // namespace libsgemm::gpu

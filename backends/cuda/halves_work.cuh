// The medium product of sm_90 (halves.cuh): what a block and a thread have.
#pragma once

#include "halves.h"

namespace libsgemm::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// What a block computes: k-tiles [first, first + count) of the tile that starts at (row, column), in pairs, of which
// the last may be half empty.
struct HalvesWork {
  int slice, first, count, pairs;
  int64_t row, column;

  __device__ __forceinline__ explicit HalvesWork(const HalvesProblem &p) {
    constexpr int kGroup = 8;  // neighbours take columns of 8 tiles, which share tiles of B
    const int tile = static_cast<int>(blockIdx.x) / p.slices;
    slice = static_cast<int>(blockIdx.x) % p.slices;
    const int longer = p.k_tiles % p.slices;
    first = slice * (p.k_tiles / p.slices) + min(slice, longer);
    count = p.k_tiles / p.slices + (slice < longer ? 1 : 0);
    pairs = (count + 1) / 2;
    const int group = tile / (kGroup * p.tiles_n), within = tile % (kGroup * p.tiles_n);
    const int height = min(kGroup, p.tiles_m - group * kGroup);
    row = static_cast<int64_t>(group * kGroup + within % height) * HalvesShape::tile;
    column = static_cast<int64_t>(within / height) * HalvesShape::tile;
  }
};

// A thread's place: rows and columns of a warp's lanes, and of the warp in the tile.
struct HalvesThread {
  int row_lane, column_lane;  // of 4, of 8
  int warp_row, warp_column;

  __device__ __forceinline__ HalvesThread() {
    const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    row_lane = lane / 2 % 4;
    column_lane = lane / 8 * 2 + lane % 2;
    warp_row = warp % 2 * 64;
    warp_column = warp / 2 * 64;
  }
};

#endif  // sm_90

}  // namespace libsgemm::cuda

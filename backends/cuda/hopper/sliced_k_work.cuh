#pragma once

#include "sliced_k.h"

namespace libsgemm::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// A block of the sliced-K product (sliced_k.cuh) computes k-tiles [first, first + count) of the tile at (row, column).
// The last of the pairs may lack its second k-tile.
template <typename Shape, bool kSwapped>
struct SlicedKWork {
  static constexpr int tile_m = kSwapped ? Shape::columns : Shape::rows,
                       tile_n = kSwapped ? Shape::rows : Shape::columns;
  int slice, first, count, pairs;
  int64_t row, column;

  __device__ __forceinline__ explicit SlicedKWork(const SlicedKProblem &p) {
    constexpr int kGroup = 8;  // columns of 8 tiles share tiles of B
    const int tile = static_cast<int>(blockIdx.x) / p.slices;
    slice = static_cast<int>(blockIdx.x) % p.slices;
    const int longer = p.k_tiles % p.slices;
    first = slice * (p.k_tiles / p.slices) + min(slice, longer);
    count = p.k_tiles / p.slices + (slice < longer ? 1 : 0);
    pairs = (count + 1) / 2;
    const int group = tile / (kGroup * p.tiles_n), within = tile % (kGroup * p.tiles_n);
    const int height = min(kGroup, p.tiles_m - group * kGroup);
    row = static_cast<int64_t>(group * kGroup + within % height) * tile_m;
    column = static_cast<int64_t>(within / height) * tile_n;
  }
};

template <typename Shape>
struct SlicedKThread {
  int row_lane, column_lane;
  int warp_row, warp_column;

  __device__ __forceinline__ SlicedKThread() {
    const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    constexpr int kWarps = Shape::rows / Shape::warp_rows;  // along the rows
    const int inner = lane / 2 % 4, outer = lane / 8 * 2 + lane % 2;
    row_lane = Shape::lane_rows == 4 ? inner : outer;
    column_lane = Shape::lane_rows == 4 ? outer : inner;
    warp_row = warp % kWarps * Shape::warp_rows;
    warp_column = warp / kWarps * Shape::warp_columns;
  }
};

#endif  // sm_90

}  // namespace libsgemm::cuda

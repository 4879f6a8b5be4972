#pragma once

#include "gpu/gpu.h"
#include "skinny.h"

namespace libsgemm::gpu {

struct SkinnyPlace {
  int64_t product, row, column;  // product of the batch; first row and column
  int64_t rows_left, columns_left;

  __device__ __forceinline__ SkinnyPlace(const SkinnyWork &work, int64_t tile, int rows, int columns) {
    const int64_t narrow_tile = tile % work.narrow_tiles, rest = tile / work.narrow_tiles;
    product = rest / work.wide_tiles;
    row = rest % work.wide_tiles * rows;
    column = narrow_tile * columns;
    rows_left = work.wide - row;
    columns_left = work.narrow - column;
  }
};

struct SkinnyOutput {
  Global<float> *base;
  int64_t wide, narrow;
  float alpha, beta;

  // C if the units [first, last) are a whole tile, otherwise the workspace.
  __device__ __forceinline__ SkinnyOutput(const SkinnyWork &work, const SkinnyPlace &place, int64_t first, int64_t last,
                                          int rows, int columns) {
    if (first > 0 || last < work.units) {
      const int64_t slot = 2 * static_cast<int64_t>(blockIdx.x) + (first > 0 ? 0 : 1);
      base = global(work.partial) + slot * rows * columns;
      wide = 1, narrow = rows;
      alpha = 1.0f, beta = 0.0f;
    } else {
      base = global(work.c) + place.product * work.c_stride + place.row * work.c_wide + place.column * work.c_narrow;
      wide = work.c_wide, narrow = work.c_narrow;
      alpha = work.alpha, beta = work.beta;
    }
  }
};

// Sums the `parts` parts of a tile, part_floats apart; each is columns of `rows` floats, row_floats apart. Threads run
// along C's contiguous side.
__device__ __forceinline__ void store_skinny(const float *sums, int parts, int part_floats, int row_floats, int rows,
                                             int columns, const SkinnyPlace &place, const SkinnyOutput &out) {
  const bool along_wide = out.wide == 1;
  const int extent = along_wide ? rows : columns;
  const int inner = min(extent & -extent, static_cast<int>(blockDim.x));  // powers of two
  const int inner_first = threadIdx.x % inner, outer_first = threadIdx.x / inner, outer_step = blockDim.x / inner;
  const int rows_here = static_cast<int>(min(static_cast<int64_t>(rows), place.rows_left));
  const int columns_here = static_cast<int>(min(static_cast<int64_t>(columns), place.columns_left));
  const int inner_end = along_wide ? rows_here : columns_here, outer_end = along_wide ? columns_here : rows_here;
  const int inner_floats = along_wide ? 1 : row_floats, outer_floats = along_wide ? row_floats : 1;
  const int64_t inner_stride = along_wide ? out.wide : out.narrow, outer_stride = along_wide ? out.narrow : out.wide;
  for (int i = inner_first; i < inner_end; i += inner) {
    const float *from = sums + i * inner_floats;
    Global<float> *to = out.base + i * inner_stride;
#pragma unroll 4
    for (int o = outer_first; o < outer_end; o += outer_step) {
      float sum = from[o * outer_floats];
      for (int part = 1; part < parts; ++part) sum += from[o * outer_floats + part * part_floats];
      Global<float> *c = to + o * outer_stride;
      const float product = out.alpha * sum;
      *c = out.beta == 0.0f ? product : product + out.beta * *c;
    }
  }
}

// compute(tile, first, last) is called for the block's share of all units, with barriers between tiles.
template <typename Compute>
__device__ __forceinline__ void for_each_share(const SkinnyWork &work, const Compute &compute) {
  const int64_t block = blockIdx.x;
  int64_t unit = (block * work.share + min(block, work.rest)) * work.granule;
  const int64_t end = unit + (work.share + (block < work.rest ? 1 : 0)) * work.granule;
  while (unit < end) {
    const int64_t tile = unit / work.units, first = unit - tile * work.units;
    const int64_t last = min(work.units, first + end - unit);
    compute(tile, first, last);
    unit += last - first;
    if (unit < end) __syncthreads();  // others may still read the sums
  }
}

}  // namespace libsgemm::gpu

// Epilogue of the sliced-K product (sliced_k.cuh).
#pragma once

#include "ptx.h"
#include "sliced_k_work.cuh"

namespace libsgemm::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// The finished tile in shared memory, column by column of C.
template <typename Shape, bool kSwapped, bool kRowsAlongK>
struct SlicedKTile {
  static constexpr int length = kSwapped ? Shape::columns : Shape::rows;  // rows of C in a column
  // Bytes between columns, chosen so that lanes that store to several columns use different banks.
  static constexpr uint32_t pitch = 4 * (length + (kSwapped ? 8 : kRowsAlongK ? 4 : 16));
  static constexpr int row_step = kRowsAlongK ? Shape::lane_rows : 1;  // distance of rows in a vector of sums
  static constexpr int column_quads = Shape::columns / 4;

  // The tile's column that a slot, a line of `pitch` bytes, holds. Neighbouring lanes write to neighbouring slots.
  __device__ __forceinline__ static int column_of(int slot) {
    return kSwapped ? slot : slot % column_quads * 4 + slot / column_quads;
  }

  // Writes four of the thread's rows and columns; `v` has a vector for each column.
  __device__ __forceinline__ static void put(uint32_t tile, const SlicedKThread<Shape> &t, int rows, int columns,
                                             const float4 (&v)[4]) {
    const uint32_t row = t.warp_row + 4 * Shape::lane_rows * rows + (kRowsAlongK ? 1 : 4) * t.row_lane;
    const uint32_t quad = t.warp_column / 4 + t.column_lane + Shape::lane_columns * columns;
    if (kSwapped) {
      const uint32_t at = tile + row * pitch + 16 * quad;
      ptx::store_shared_x4(at, make_float4(v[0].x, v[1].x, v[2].x, v[3].x));
      ptx::store_shared_x4(at + row_step * pitch, make_float4(v[0].y, v[1].y, v[2].y, v[3].y));
      ptx::store_shared_x4(at + 2 * row_step * pitch, make_float4(v[0].z, v[1].z, v[2].z, v[3].z));
      ptx::store_shared_x4(at + 3 * row_step * pitch, make_float4(v[0].w, v[1].w, v[2].w, v[3].w));
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const uint32_t at = tile + (column_quads * j + quad) * pitch + 4 * row;
        if (kRowsAlongK) {
          ptx::store_shared(at, v[j].x);
          ptx::store_shared(at + 4 * row_step, v[j].y);
          ptx::store_shared(at + 8 * row_step, v[j].z);
          ptx::store_shared(at + 12 * row_step, v[j].w);
        } else {
          ptx::store_shared_x4(at, v[j]);
        }
      }
    }
  }

  // Place of element `index` of a part, which is 128 elements, slot after slot.
  struct Element {
    int slot, row;
    __device__ __forceinline__ Element(int part, int index)
        : slot((128 * part + index) / length), row((128 * part + index) % length) {}
    __device__ __forceinline__ uint32_t offset() const { return slot * pitch + 4 * row; }
  };

  // Stores a part. `c`: first element of the tile, of which `rows` x `columns` are inside C.
  __device__ __forceinline__ static void store(const SlicedKProblem &p, float *c, int rows, int columns, uint32_t tile,
                                               int part, float4 sum) {
    const int lane = threadIdx.x % 32;
    sum = make_float4(p.alpha * sum.x, p.alpha * sum.y, p.alpha * sum.z, p.alpha * sum.w);
    const Element own(part, 4 * lane);
    if (p.vectors && rows >= length) {
      const int column = column_of(own.slot);
      if (column >= columns) return;
      auto *target = reinterpret_cast<float4 *>(c + column * p.ldc + own.row);
      if (p.beta != 0.0f) {
        const float4 old = *target;
        sum = make_float4(fmaf(p.beta, old.x, sum.x), fmaf(p.beta, old.y, sum.y), fmaf(p.beta, old.z, sum.z),
                          fmaf(p.beta, old.w, sum.w));
      }
      *target = sum;
      return;
    }
    // Through shared memory, so that neighbouring lanes store neighbouring rows.
    ptx::store_shared_x4(tile + own.offset(), sum);
    __syncwarp();
#pragma unroll
    for (int quarter = 0; quarter < 4; ++quarter) {
      const Element element(part, lane + 32 * quarter);
      const int column = column_of(element.slot);
      if (element.row >= rows || column >= columns) continue;
      float *target = c + column * p.ldc + element.row;
      float v = ptx::load_shared(tile + element.offset());
      if (p.beta != 0.0f) v = fmaf(p.beta, *target, v);
      *target = v;
    }
  }
};

// Adds the sums of the block's two groups of warps, then those of the cluster's blocks.
template <typename Shape, bool kSwapped, bool kRowsAlongK>
__device__ __forceinline__ void sliced_k_finish(const SlicedKProblem &p, const SlicedKWork<Shape, kSwapped> &work,
                                                const SlicedKThread<Shape> &t, int group, uint32_t shared,
                                                const float (&sum)[16][8]) {
  using Tile = SlicedKTile<Shape, kSwapped, kRowsAlongK>;
  constexpr uint32_t kVectorBytes = 16 * Shape::multipliers / 2;
  const uint32_t within = threadIdx.x % (Shape::multipliers / 2) * 16;
  const uint32_t given = shared + group * Shape::exchange_bytes + within,
                 taken = shared + (1 - group) * Shape::exchange_bytes + within;
  const uint32_t tile = shared + Shape::tile_offset;
  // The first group keeps four of the thread's columns, the second the other four.
  float4 own[16];
  ptx::synchronize_threads(1, Shape::multipliers);  // the rings are free
#pragma unroll
  for (int v = 0; v < 16; ++v) {
    const int i = v % 4 * 4, j = v / 4;
    const float4 low = make_float4(sum[i][j], sum[i + 1][j], sum[i + 2][j], sum[i + 3][j]);
    const float4 high = make_float4(sum[i][j + 4], sum[i + 1][j + 4], sum[i + 2][j + 4], sum[i + 3][j + 4]);
    ptx::store_shared_x4(given + v * kVectorBytes, group == 0 ? high : low);
    own[v] = group == 0 ? low : high;
  }
  ptx::synchronize_threads(1, Shape::multipliers);
#pragma unroll
  for (int rows = 0; rows < 4; ++rows) {
    float4 total[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int v = 4 * j + rows;
      const float4 other = ptx::load_shared_x4(taken + v * kVectorBytes);
      total[j] = make_float4(own[v].x + other.x, own[v].y + other.y, own[v].z + other.z, own[v].w + other.w);
    }
    Tile::put(tile, t, rows, group, total);
  }
  if (p.slices == 1) {
    ptx::synchronize_threads(1, Shape::multipliers);
  } else {
    ptx::synchronize_cluster();
  }

  constexpr int kWarps = Shape::multipliers / 32, kAtOnce = 4;
  constexpr int kParts = Shape::rows * Shape::columns / 128;
  const int warp = static_cast<int>(threadIdx.x) / 32, each = kParts / p.slices, lane = threadIdx.x % 32;
  const int rows = static_cast<int>(min(p.m - work.row, static_cast<int64_t>(work.tile_m)));
  const int columns = static_cast<int>(min(p.n - work.column, static_cast<int64_t>(work.tile_n)));
  float *c = p.c + work.column * p.ldc + work.row;
#pragma unroll 1
  for (int within = warp; within < each; within += kAtOnce * kWarps) {
    const int part = work.slice * each + within;
    float4 total[kAtOnce] = {};
#pragma unroll 2
    for (int slice = 0; slice < p.slices; ++slice) {
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n) {
        const typename Tile::Element element(part + n * kWarps, 4 * lane);
        const float4 v = ptx::load_cluster_x4(tile + element.offset(), slice);
        total[n] = make_float4(total[n].x + v.x, total[n].y + v.y, total[n].z + v.z, total[n].w + v.w);
      }
    }
#pragma unroll
    for (int n = 0; n < kAtOnce; ++n) Tile::store(p, c, rows, columns, tile, part + n * kWarps, total[n]);
  }
  if (p.slices != 1) ptx::synchronize_cluster();  // others still read this block's shared memory
}

#endif  // sm_90

}  // namespace libsgemm::cuda

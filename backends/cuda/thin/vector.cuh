// The matrix-vector product r = X y (vector.h) on the device. Memory limits it, so every warp loads 4 or 8 KiB of X to
// registers before it multiplies, and needs no barrier before its last sum. X bypasses the L1 cache; y stays there.
//
//   K-major X: a row is summed by `lanes` lanes (32, or 8 for a short k) of 1, 2 or 4 warps
//
//              k ->   16 * lanes, a warp's step        lane l of a row: 4 x 16 bytes of each of four rows, at
//            +--------+--------+--------+--------+       4 l + 4 lanes * u,  u = 0 .. 3
//     4 rows | u = 0  | u = 1  | u = 2  | u = 3  |     (not aligned: 16 x 4 bytes, at l + lanes * u)
//            +--------+--------+--------+--------+
//
//   other X: a tile of 8, 16, 32 or 64 rows; the up to 32 warps of a block divide k
//
//           k ->   1024 / tile, a warp's step          lane: 16 bytes (4 rows) of 8 columns
//          +--+--+--+--+--+--+                         (not aligned: 4 bytes of up to 32 columns)
//     tile |  |  |  |  |  |  |
//          +--+--+--+--+--+--+                         y: one element of each lane, shared by shuffles
//
// Sums of lanes, warps and slices are added in a fixed order.
//
// Source: Volkov, "Better Performance at Lower Occupancy", GTC 2010 (bytes in flight = latency times bandwidth).
#pragma once

#include <cstdint>

#include "ptx.h"
#include "vector.h"

namespace libsgemm::cuda::vector {

// Tile blockIdx.x of product blockIdx.z, over slice blockIdx.y of k, where the pointers start.
struct Block {
  const float *x, *y;
  int64_t k;

  __device__ __forceinline__ Block(const VectorWork &work, bool along_k) {
    const int64_t first = blockIdx.y * work.slice, product = blockIdx.z;
    k = min(work.slice, work.k - first);
    x = work.x + product * work.x_stride + first * (along_k ? 1 : work.x_ld);
    y = work.y + product * work.y_stride + first * work.y_step;
  }
};

__device__ __forceinline__ int64_t first_row(const VectorWork &work) {
  return static_cast<int64_t>(blockIdx.x) * work.tile_rows;
}

__device__ __forceinline__ void put(const VectorWork &work, int64_t row, float sum) {
  const int64_t product = blockIdx.z;
  if (gridDim.y > 1) {
    work.partial[(product * gridDim.y + blockIdx.y) * work.rows + row] = sum;
  } else {
    float *c = work.c + product * work.c_stride + row * work.c_step;
    *c = work.beta == 0.0f ? work.alpha * sum : fmaf(work.alpha, sum, work.beta * *c);
  }
}

__device__ __forceinline__ bool aligned_16(const float *pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % 16 == 0;
}

template <int kWidth>
__device__ __forceinline__ void load_x(float (&e)[kWidth], const float *from) {
  if constexpr (kWidth == 4) {
    const float4 v = ptx::load_streamed_x4(from);
    e[0] = v.x, e[1] = v.y, e[2] = v.z, e[3] = v.w;
  } else {
    e[0] = ptx::load_streamed(from);
  }
}

// ---- K-major X

// Adds four rows of X times y over the whole steps from `p` on, and advances `p`.
template <int kLanes, int kWidth>
__device__ __forceinline__ void add_steps(float (&sum)[kRowsOfLane], const float *const (&rows)[kRowsOfLane],
                                          const Block &block, int64_t y_step, int64_t step, int lane, int64_t *p) {
  constexpr int kLoads = kBatchOfLane / kWidth, kRun = kLanes * kWidth;
  const int offset = lane * kWidth;
#pragma unroll 1
  for (; *p + kLanes * kBatchOfLane <= block.k; *p += step) {
    float e[kLoads][kRowsOfLane][kWidth];
#pragma unroll
    for (int u = 0; u < kLoads; ++u) {
#pragma unroll
      for (int r = 0; r < kRowsOfLane; ++r) load_x(e[u][r], rows[r] + *p + offset + u * kRun);
    }
    const float *y = block.y + (*p + offset) * y_step;
#pragma unroll
    for (int u = 0; u < kLoads; ++u, y += kRun * y_step) {
      float f[kWidth];
      if constexpr (kWidth == 4) {
        const float4 v = __ldg(reinterpret_cast<const float4 *>(y));
        f[0] = v.x, f[1] = v.y, f[2] = v.z, f[3] = v.w;
      } else {
        f[0] = __ldg(y);
      }
#pragma unroll
      for (int i = 0; i < kWidth; ++i) {
#pragma unroll
        for (int r = 0; r < kRowsOfLane; ++r) sum[r] = fmaf(e[u][r][i], f[i], sum[r]);
      }
    }
  }
}

// Adds the last, short step; only one of the warps that share the rows calls it.
template <int kLanes>
__device__ __forceinline__ void add_rest(float (&sum)[kRowsOfLane], const float *const (&rows)[kRowsOfLane],
                                         const Block &block, int64_t y_step, int64_t p, int lane) {
  constexpr int kLoads = kBatchOfLane / 2;
#pragma unroll 1
  for (p += lane; p < block.k; p += kLoads * kLanes) {
    const int left = static_cast<int>(min(block.k - p, static_cast<int64_t>(kLoads * kLanes)));
    float e[kLoads][kRowsOfLane];
#pragma unroll
    for (int u = 0; u < kLoads; ++u) {
#pragma unroll
      for (int r = 0; r < kRowsOfLane; ++r) {
        e[u][r] = u * kLanes < left ? ptx::load_streamed(rows[r] + p + u * kLanes) : 0.0f;
      }
    }
#pragma unroll
    for (int u = 0; u < kLoads; ++u) {
      if (u * kLanes < left) {
        const float f = __ldg(block.y + (p + u * kLanes) * y_step);
#pragma unroll
        for (int r = 0; r < kRowsOfLane; ++r) sum[r] = fmaf(e[u][r], f, sum[r]);
      }
    }
  }
}

template <int kLanes>
__device__ __forceinline__ void along_k(const VectorWork &work) {
  constexpr int kWarpRows = kRowsOfLane * 32 / kLanes;
  __shared__ float sums[kWarpsAlongK][kWarpRows];
  const Block block(work, true);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % kLanes, group = threadIdx.x % 32 / kLanes;
  const int64_t first = first_row(work), warp_first = first + warp / work.warps_k * kWarpRows;
  if (warp_first < work.rows) {
    const float *rows[kRowsOfLane];  // the last row repeats
#pragma unroll
    for (int r = 0; r < kRowsOfLane; ++r) {
      rows[r] = block.x + min(warp_first + group * kRowsOfLane + r, work.rows - 1) * work.x_ld;
    }
    float sum[kRowsOfLane] = {};
    constexpr int kBatch = kLanes * kBatchOfLane;
    const int64_t step = static_cast<int64_t>(work.warps_k) * kBatch;
    int64_t p = static_cast<int64_t>(warp % work.warps_k) * kBatch;
    if (aligned_16(block.x) && work.x_ld % 4 == 0 && aligned_16(block.y) && work.y_step == 1) {
      add_steps<kLanes, 4>(sum, rows, block, 1, step, lane, &p);
    } else {
      add_steps<kLanes, 1>(sum, rows, block, work.y_step, step, lane, &p);
    }
    if (p < block.k) add_rest<kLanes>(sum, rows, block, work.y_step, p, lane);
#pragma unroll
    for (int r = 0; r < kRowsOfLane; ++r) {
#pragma unroll
      for (int s = kLanes / 2; s > 0; s /= 2) sum[r] += __shfl_xor_sync(~0u, sum[r], s);
      if (lane == 0) sums[warp][group * kRowsOfLane + r] = sum[r];
    }
  }
  __syncthreads();
  const int r = threadIdx.x;
  if (r >= work.tile_rows || first + r >= work.rows) return;
  float sum = 0;
  for (int i = 0; i < work.warps_k; ++i) sum += sums[r / kWarpRows * work.warps_k + i][r % kWarpRows];
  put(work, first + r, sum);
}

// ---- X contiguous along its rows

// In a step a lane makes kVectors loads of kWidth floats for each of its kLoads columns.
template <int kTileRows, int kLoadWidth>
struct Columns {
  static constexpr int kWidth = kLoadWidth;
  static constexpr int kAcross = kTileRows / kWidth < 32 ? kTileRows / kWidth : 32, kGroups = 32 / kAcross;
  static constexpr int kVectors = kTileRows / (kWidth * kAcross), kLoads = kFloatsOfLane / (kWidth * kVectors);
  static constexpr int kStep = kWarpStep / kTileRows;
  static_assert(kStep == kLoads * kGroups, "all lanes have columns");

  const float *x, *y;  // X and y at the lane's first column and row
  int64_t ld, y_step;
  int lane;
  int row[kVectors];  // relative to the first row
  float sum[kVectors][kWidth];

  // Adds the kCount * kGroups columns from `p` on, `left` at most. Shuffles share the elements of y.
  template <int kCount, bool kWhole>
  __device__ __forceinline__ void add(int64_t p, int left) {
    constexpr int kColumns = kCount * kGroups, kFactors = (kColumns + 31) / 32;
    const int group = lane / kAcross;
    float factors[kFactors];
#pragma unroll
    for (int i = 0; i < kFactors; ++i) {
      const int column = 32 * i + lane;
      factors[i] = column < (kWhole ? kColumns : left) ? __ldg(y + (p + column) * y_step) : 0.0f;
    }
    float e[kCount][kVectors][kWidth];
    const float *from = x + p * ld;
#pragma unroll
    for (int u = 0; u < kCount; ++u, from += kGroups * ld) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        if (kWhole || u * kGroups + group < left) {
          load_x(e[u][v], from + row[v]);
        } else {
#pragma unroll
          for (int i = 0; i < kWidth; ++i) e[u][v][i] = 0;
        }
      }
    }
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      const float f = __shfl_sync(~0u, factors[u * kGroups / 32], u * kGroups % 32 + group);
      if (!kWhole && u * kGroups + group >= left) continue;  // zeros times NaN would be NaN
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
#pragma unroll
        for (int i = 0; i < kWidth; ++i) sum[v][i] = fmaf(e[u][v][i], f, sum[v][i]);
      }
    }
  }
};

// `rows`: a multiple of kWidth.
template <int kTileRows, int kWidth>
__device__ __forceinline__ void add_columns(float (&sums)[kTileRows], const VectorWork &work, const Block &block,
                                            const float *x, int rows, int warp, int warps, int lane) {
  using C = Columns<kTileRows, kWidth>;
  const int across = lane % C::kAcross, group = lane / C::kAcross;
  const auto row_of = [=](int v) {
    const int row = (across + v * C::kAcross) * kWidth;
    return row < rows ? row : 0;  // lanes beyond the tile repeat row 0
  };
  C columns = {x + group * work.x_ld + row_of(0), block.y, work.x_ld, work.y_step, lane, {}, {}};
#pragma unroll
  for (int v = 1; v < C::kVectors; ++v) columns.row[v] = row_of(v) - row_of(0);
  int64_t p = static_cast<int64_t>(warp) * C::kStep;
#pragma unroll 1
  for (; p + C::kStep <= block.k; p += warps * C::kStep) columns.template add<C::kLoads, true>(p, C::kStep);
  // The remaining columns go in small pieces to the warps that would have the next steps.
  constexpr int kFew = 2, kPiece = kFew * C::kGroups;
  const int64_t rest = block.k / C::kStep * C::kStep;
#pragma unroll 1
  for (p = rest + (p - rest) / C::kStep * kPiece; p < block.k; p += warps * kPiece) {
    columns.template add<kFew, false>(p, static_cast<int>(min(block.k - p, static_cast<int64_t>(kPiece))));
  }
#pragma unroll
  for (int v = 0; v < C::kVectors; ++v) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      float sum = columns.sum[v][i];
#pragma unroll
      for (int s = C::kAcross; s < 32; s *= 2) sum += __shfl_xor_sync(~0u, sum, s);
      if (group == 0) sums[(across + v * C::kAcross) * kWidth + i] = sum;
    }
  }
}

template <int kTileRows>
__device__ __forceinline__ void along_rows(const VectorWork &work) {
  __shared__ float sums[kMostWarps][kTileRows];
  const Block block(work, false);
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
  const int64_t first = first_row(work);
  const int rows = static_cast<int>(min(static_cast<int64_t>(work.tile_rows), work.rows - first));
  const float *x = block.x + first;
  if (aligned_16(x) && work.x_ld % 4 == 0 && rows % 4 == 0) {
    add_columns<kTileRows, 4>(sums[warp], work, block, x, rows, warp, warps, lane);
  } else {
    add_columns<kTileRows, 1>(sums[warp], work, block, x, rows, warp, warps, lane);
  }
  __syncthreads();
  for (int r = threadIdx.x; r < rows; r += blockDim.x) {
    float sum = 0;
    for (int i = 0; i < warps; ++i) sum += sums[i][r];
    put(work, first + r, sum);
  }
}

}  // namespace libsgemm::cuda::vector

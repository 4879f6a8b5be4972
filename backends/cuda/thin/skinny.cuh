// R (wide x narrow) = X (wide x k) Y (k x narrow) on the device, with X streamed once (gpu/thin/skinny.h).
//
// Every warp works alone, on its own part of k or its own rows, with its own ring of `stages` chunks in shared memory,
// so the block needs no barrier until the sums are complete. Why: docs/kernels/ffma.md.
//
//   a warp's tile, one quad (k = 4):                    lanes: wide_lanes x narrow_lanes x k_groups = 32
//
//              narrow_lanes x narrow_thread             thread: wide_thread x narrow_thread sums in registers
//              +---------------+                        k group g takes the quads g, g + k_groups, ... of a chunk
//     4 of k   | Y: broadcasts |
//              +---------------+
//   +------+   +---------------+
//   | X    |   | sums          |  wide_lanes x wide_thread rows
//   +------+   +---------------+
//
// At the end of a tile the memory of the rings holds the sums of all warps and k groups, which are added in that order.
//
// Sources: NVIDIA, CUDA C++ Programming Guide, "Asynchronous Data Copies" (rings); Osama et al., "Stream-K" (PPoPP
// 2023).
#pragma once

#include <cstdint>

#include "dynamic_shared.cuh"
#include "gpu/thin/skinny_tile.h"
#include "skinny_copy.cuh"

namespace libsgemm::cuda::skinny {

using namespace gpu;

// ---- Main loop

template <typename Config>
struct Warp {
  using D = Derived<Config>;
  const SkinnyWork &work;
  const float *x, *y;  // X and Y at the tile's first row and column
  int64_t rows_left, columns_left;
  bool x_aligned, y_aligned;
  int lane;
  float *ring;

  __device__ __forceinline__ void copy(int slot, int64_t p) const {
    float *x_slot = ring + slot * D::kSlot, *y_slot = x_slot + D::kXFloats;
    const int64_t k_left = work.k - p;
    const float *from = x + (Config::x_along_k ? p : p * work.x_ld);
    if (k_left >= D::kChunk && rows_left >= D::kRows) {
      if (x_aligned) {
        copy_x_16<Config>(x_slot, from, work.x_ld, lane);
      } else {
        copy_x_4<Config, true>(x_slot, from, work.x_ld, rows_left, k_left, lane);
      }
    } else {
      copy_x_4<Config, false>(x_slot, from, work.x_ld, rows_left, k_left, lane);
    }
    if (y_aligned && k_left >= D::kChunk && columns_left >= D::kColumns) {
      copy_y_16<Config>(y_slot, y + p * work.y_k, Config::y_along_k ? work.y_narrow : work.y_k, lane);
      return;
    }
    copy_y_4<Config>(y_slot, y + p * work.y_k, work.y_k, work.y_narrow, columns_left, k_left, lane);
  }

  // Consecutive FFMAs share the element of Y, which stays in the reuse cache.
  __device__ __forceinline__ void multiply(int slot, float (&sum)[Config::narrow_thread][Config::wide_thread]) const {
    constexpr int kWide = Config::wide_thread, kNarrow = Config::narrow_thread;
    const int wide_lane = lane % Config::wide_lanes;
    const int narrow_lane = lane / Config::wide_lanes % Config::narrow_lanes;
    const int group = lane / (Config::wide_lanes * Config::narrow_lanes);
    const float *x_slot = ring + slot * D::kSlot, *y_slot = x_slot + D::kXFloats;
#pragma unroll(kWide *kNarrow >= 96 ? 1 : D::kQuads)
    for (int quad = 0; quad < D::kQuads; ++quad) {
      const int p = 4 * (group + D::kGroups * quad);
      float xs[4][kWide];
#pragma unroll
      for (int i = 0; i < kWide; ++i) {
        // K-major: a row's quad; otherwise four rows at one k.
        const int offset = Config::x_along_k ? (wide_lane + Config::wide_lanes * i) * D::kXRow + p
                                             : (p + i % 4) * D::kXRow + 4 * (wide_lane + Config::wide_lanes * (i / 4));
        const float4 v = *reinterpret_cast<const float4 *>(x_slot + offset);
        const float e[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          if (Config::x_along_k) {
            xs[q][i] = e[q];
          } else {
            xs[i % 4][i / 4 * 4 + q] = e[q];
          }
        }
      }
#pragma unroll
      for (int j = 0; j < kNarrow; ++j) {
        const int offset = Config::y_along_k ? (narrow_lane + Config::narrow_lanes * j) * D::kYRow + p
                                             : y_offset(p, D::kColumns) + j % 4 * D::kColumns +
                                                   4 * (narrow_lane + Config::narrow_lanes * (j / 4));
        const float4 v = *reinterpret_cast<const float4 *>(y_slot + offset);
        const float e[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int q = 0; q < 4; ++q) {
#pragma unroll
          for (int i = 0; i < kWide; ++i) {
            if (Config::y_along_k) {
              sum[j][i] += e[q] * xs[q][i];
            } else {
              sum[j / 4 * 4 + q][i] += e[q] * xs[j % 4][i];
            }
          }
        }
      }
    }
  }

  __device__ __forceinline__ void run(int64_t first, int64_t last, int part,
                                      float (&sum)[Config::narrow_thread][Config::wide_thread]) const {
    const int64_t step = int64_t{work.warps_k} * D::kChunk;
    int64_t p = first * step + part * D::kChunk;
    const int64_t end = last * step < work.k ? last * step : work.k;
    int filled = 0;
#pragma unroll
    for (; filled < Config::stages - 1; ++filled) {
      if (p + filled * step < end) copy(filled, p + filled * step);
      ptx::commit_copies();
    }
    int used = 0;
#pragma unroll 1
    for (; p < end; p += step) {
      ptx::wait_for_copies<Config::stages - 2>();
      __syncwarp();
      if (p + (Config::stages - 1) * step < end) copy(filled, p + (Config::stages - 1) * step);
      ptx::commit_copies();
      multiply(used, sum);
      filled = filled + 1 == Config::stages ? 0 : filled + 1;
      used = used + 1 == Config::stages ? 0 : used + 1;
    }
  }
};

// ---- Epilogue

template <typename Config>
__device__ __forceinline__ void put_sums(float *part, int row_floats, int lane,
                                         const float (&sum)[Config::narrow_thread][Config::wide_thread]) {
  const int wide_lane = lane % Config::wide_lanes;
  const int narrow_lane = lane / Config::wide_lanes % Config::narrow_lanes;
#pragma unroll
  for (int j = 0; j < Config::narrow_thread; ++j) {
    const int column = Config::y_along_k ? narrow_lane + Config::narrow_lanes * j
                                         : 4 * (narrow_lane + Config::narrow_lanes * (j / 4)) + j % 4;
    float *row = part + column * row_floats;
    if (Config::x_along_k) {
#pragma unroll
      for (int i = 0; i < Config::wide_thread; ++i) row[wide_lane + Config::wide_lanes * i] = sum[j][i];
    } else {
#pragma unroll
      for (int i = 0; i < Config::wide_thread; i += 4) {
        *reinterpret_cast<float4 *>(row + 4 * wide_lane + Config::wide_lanes * i) =
            make_float4(sum[j][i], sum[j][i + 1], sum[j][i + 2], sum[j][i + 3]);
      }
    }
  }
}

template <typename Config>
__device__ __forceinline__ void compute_tile(const SkinnyWork &work, int64_t tile, int64_t first, int64_t last,
                                             float *shared) {
  using D = Derived<Config>;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_wide = warp / work.warps_k, warp_k = warp % work.warps_k;
  const int rows = work.warps_wide * D::kRows;
  const SkinnyPlace place(work, tile, rows, D::kColumns);
  const int64_t warp_row = place.row + warp_wide * D::kRows;
  float sum[Config::narrow_thread][Config::wide_thread] = {};
  if (warp_row < work.wide) {
    const float *x = work.x + place.product * work.x_stride + warp_row * (Config::x_along_k ? work.x_ld : 1);
    const float *y = work.y + place.product * work.y_stride + place.column * work.y_narrow;
    const Warp<Config> mine = {work,
                               x,
                               y,
                               work.wide - warp_row,
                               place.columns_left,
                               aligned_16(x, work.x_ld),
                               aligned_16(y, Config::y_along_k ? work.y_narrow : work.y_k),
                               lane,
                               shared + warp * D::kRing};
    mine.run(first, last, warp_k, sum);
  }
  const int row_floats = rows + D::kSumPad, part_floats = D::kColumns * row_floats + D::kSumSkew;
  const int group = lane / (Config::wide_lanes * Config::narrow_lanes);
  __syncthreads();  // waits for the rings
  put_sums<Config>(shared + (warp_k * D::kGroups + group) * part_floats + warp_wide * D::kRows, row_floats, lane, sum);
  __syncthreads();
  const SkinnyOutput out(work, place, first, last, rows, D::kColumns);
  store_skinny(shared, work.warps_k * D::kGroups, part_floats, row_floats, rows, D::kColumns, place, out);
}

template <typename Config>
__device__ __forceinline__ void compute(const SkinnyWork &work) {
  float *const shared = dynamic_shared();
  for_each_share(
      work, [&](int64_t tile, int64_t first, int64_t last) { compute_tile<Config>(work, tile, first, last, shared); });
}

}  // namespace libsgemm::cuda::skinny

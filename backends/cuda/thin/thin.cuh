// R (wide x narrow) = X (wide x k) Y (k x narrow) on the device, with narrow of 17 to 128 (gpu/thin/skinny.h), by
// persistent blocks. Why: docs/kernels/ffma.md; sources: skinny.cuh.
//
//   ring of `stages` slots:   [X tile_m x chunk][Y chunk x tile_n]      one barrier a slot
//   a warp: 64 rows x 4 narrow_thread columns, 8 x 4 lanes; a thread: 8 rows x narrow_thread columns, in groups of 4
//
// The warps of a block share the ring (thin_copy.cuh), so Y is copied once. The ring never drains: a block copies its
// next tile while it multiplies and stores the current one. Only with k_groups > 1 it drains at the end of a tile: warp
// group g takes the quads (k = 4) g, g + k_groups, ... of a slot, and the groups' sums are added in that order.
#pragma once

#include <cstdint>

#include "dynamic_shared.cuh"
#include "gpu/thin/skinny.h"
#include "ptx.h"
#include "thin_copy.cuh"
#include "thin_store.cuh"

namespace libsgemm::cuda::thin {

using namespace gpu;

// `xs`, `ys`: the thread's first row and column in the group's first quad. `between` runs after the first quad.
template <typename Config, typename Between>
__device__ __forceinline__ void multiply(const float *xs, const float *ys, float (&sum)[Config::narrow_thread][8],
                                         const Between &between) {
  using D = Derived<Config>;
  constexpr int kN = Config::narrow_thread, kRows = D::kRows, kColumns = D::kColumns, kChunk = D::kChunk;
  // Unrolls all quads, unless that needs too many registers.
  [[maybe_unused]] constexpr int kUnroll =
      kN >= 16 && Config::y_along_k && (Config::x_along_k || !Config::x_vectors) ? 2 : D::kQuads;
#pragma unroll kUnroll
  for (int i = 0; i < D::kQuads; ++i) {
    const int quad = Config::k_groups * i;
    float x[4][8];
    if (Config::x_along_k) {
#pragma unroll
      for (int r = 0; r < 8; ++r) {
        const float4 v = vector_at(xs + (r / 4 * 32) * (kChunk + 1) + r % 4 * kChunk + 4 * quad);
        x[0][r] = v.x, x[1][r] = v.y, x[2][r] = v.z, x[3][r] = v.w;
      }
    } else {
#pragma unroll
      for (int q = 0; q < 4; ++q) {
#pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const float4 v = vector_at(xs + (4 * quad + q) * kRows + r / 4 * 32);
          x[q][r] = v.x, x[q][r + 1] = v.y, x[q][r + 2] = v.z, x[q][r + 3] = v.w;
        }
      }
    }
    if (Config::y_along_k) {
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        const float4 v = vector_at(ys + (j / 4 * 16) * (kChunk + 1) + j % 4 * kChunk + 4 * quad);
        const float y[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int q = 0; q < 4; ++q) {
#pragma unroll
          for (int rr = 0; rr < 8; ++rr) {
            const int r = q % 2 == 0 ? rr : 7 - rr;
            sum[j][r] = fmaf(x[q][r], y[q], sum[j][r]);
          }
        }
      }
    } else {
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        float y[kN];
#pragma unroll
        for (int j = 0; j < kN; j += 4) {
          const float4 v = vector_at(ys + (4 * quad + q) * kColumns + j / 4 * 16);
          y[j] = v.x, y[j + 1] = v.y, y[j + 2] = v.z, y[j + 3] = v.w;
        }
#pragma unroll
        for (int j = 0; j < kN; ++j) {
#pragma unroll
          for (int rr = 0; rr < 8; ++rr) {
            const int r = j % 2 == 0 ? rr : 7 - rr;
            sum[j][r] = fmaf(x[q][r], y[j], sum[j][r]);
          }
        }
      }
    }
    if (i == 0) between();
  }
}

template <typename Config>
struct Tile {
  int64_t row, column, product;
  __device__ __forceinline__ Tile(const SkinnyWork &work, int tile) {
    const int narrow_tiles = static_cast<int>(work.narrow_tiles), wide_tiles = static_cast<int>(work.wide_tiles);
    const int rest = tile / narrow_tiles, of = rest / wide_tiles;
    column = static_cast<int64_t>(tile - rest * narrow_tiles) * Derived<Config>::kColumns;
    row = static_cast<int64_t>(rest - of * wide_tiles) * Derived<Config>::kRows;
    product = of;
  }
};

template <typename Config>
__device__ __forceinline__ void compute(const SkinnyWork &work) {
  using D = Derived<Config>;
  using XCopies = Copies<D::kRows, D::kChunk, D::kThreads, Config::x_along_k, Config::x_vectors>;
  using YCopies = Copies<D::kColumns, D::kChunk, D::kThreads, Config::y_along_k, Config::y_vectors>;
  constexpr int kStages = Config::stages, kChunk = Config::chunk;
  float *const shared = dynamic_shared();
  // thin_supports() guarantees that units fit in an int.
  const int block = blockIdx.x, units = static_cast<int>(work.units);
  const int share = static_cast<int>(work.share), rest = static_cast<int>(work.rest);
  const int granule = static_cast<int>(work.granule), first = (block * share + min(block, rest)) * granule;
  int left = (share + (block < rest ? 1 : 0)) * granule;  // units
  if (left == 0) return;

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = warp / D::kTileWarps;
  const int of_tile = warp % D::kTileWarps;
  const int row = of_tile % Config::warps_wide * 64 + 4 * (2 * (lane / 8) + lane % 2);
  const int column = of_tile / Config::warps_wide * 4 * Config::narrow_thread + 4 * (lane / 2 % 4);

  // Offsets of the thread's first elements of X and Y in a slot, in floats.
  int x_at = Config::x_along_k ? row * (kChunk + 1) + 4 * group : 4 * group * D::kRows + row;
  int y_at = D::kXFloats + (Config::y_along_k ? column * (kChunk + 1) + 4 * group : 4 * group * D::kColumns + column);
  keep(x_at);
  keep(y_at);

  // The unit to multiply, and the later one to copy.
  int tile = first / units, step = first - tile * units;
  int ahead_tile = tile, ahead_step = step, ahead_left = left;
  const int whole_steps = units - (work.k % kChunk != 0 ? 1 : 0);  // units of a tile with a full k-tile
  XCopies x;
  YCopies y;
  const int64_t y_ld = Config::y_along_k ? work.y_narrow : work.y_k;
  const auto begin_copies = [&] {
    const Tile<Config> at(work, ahead_tile);
    const int64_t p = static_cast<int64_t>(ahead_step) * kChunk;
    x.begin(work.x + at.product * work.x_stride, work.x_ld, at.row, work.wide, p);
    y.begin(work.y + at.product * work.y_stride, y_ld, at.column, work.narrow, p);
  };
  begin_copies();
  int fill = 0, use = 0;
  const auto copy_next = [&] {
    // With several k groups, copies of the next tile wait.
    if (ahead_left > 0 && (Config::k_groups == 1 || ahead_tile == tile)) {
      float *slot = shared + fill;
      if (ahead_step < whole_steps) {
        x.copy_whole(slot, work.x_ld);
        y.copy_whole(slot + D::kXFloats, y_ld);
      } else {
        const int64_t k_left = work.k - static_cast<int64_t>(ahead_step) * kChunk;
        const int depth = static_cast<int>(k_left < kChunk ? k_left : kChunk);
        x.copy_part(slot, work.x_ld, depth);
        y.copy_part(slot + D::kXFloats, y_ld, depth);
      }
      --ahead_left;
      if (++ahead_step == units && ahead_left > 0) {
        ahead_step = 0;
        ++ahead_tile;
        begin_copies();
      }
    }
    ptx::commit_copies();
    fill = fill + D::kSlot == kStages * D::kSlot ? 0 : fill + D::kSlot;
  };
#pragma unroll 1
  for (int s = 0; s < kStages - 1; ++s) copy_next();

  float sum[Config::narrow_thread][8] = {};
  bool begun = step > 0;  // another block began the tile
#pragma unroll 1
  while (left > 0) {
    const int last = min(units, step + left);
    left -= last - step;
#pragma unroll 1
    for (; step < last; ++step) {
      ptx::wait_for_copies<kStages - 2>();
      __syncthreads();
      multiply<Config>(shared + use + x_at, shared + use + y_at, sum, copy_next);
      use = use + D::kSlot == kStages * D::kSlot ? 0 : use + D::kSlot;
    }

    const Tile<Config> at(work, tile);
    Output out;
    const int64_t rows = work.wide - at.row, columns = work.narrow - at.column;
    out.rows = static_cast<int>(rows < D::kRows ? rows : D::kRows);
    out.columns = static_cast<int>(columns < D::kColumns ? columns : D::kColumns);
    if (begun || step < units) {
      const int64_t place = 2 * static_cast<int64_t>(block) + (begun ? 0 : 1);
      out.base = work.partial + place * D::kRows * D::kColumns;
      out.wide = 1, out.narrow = D::kRows, out.alpha = 1.0f, out.beta = 0.0f;
    } else {
      out.base = work.c + at.product * work.c_stride + at.row * work.c_wide + at.column * work.c_narrow;
      out.wide = work.c_wide, out.narrow = work.c_narrow, out.alpha = work.alpha, out.beta = work.beta;
    }
    if (Config::k_groups == 1) {
      store_registers<Config>(sum, row, column, out);
    } else {
      ptx::wait_for_copies<0>();
      store_groups<Config>(sum, group, row, column, shared, out);
    }
#pragma unroll
    for (int j = 0; j < Config::narrow_thread; ++j)
#pragma unroll
      for (int r = 0; r < 8; ++r) sum[j][r] = 0.0f;
    step = 0;
    begun = false;
    ++tile;
    if (Config::k_groups > 1 && left > 0) {
      fill = use = 0;
#pragma unroll 1
      for (int s = 0; s < kStages - 1; ++s) copy_next();
    }
  }
  ptx::wait_for_copies<0>();
}

}  // namespace libsgemm::cuda::thin

// R (wide x narrow) = X (wide x k) Y (k x narrow) on the device, with X streamed once (gpu/thin/skinny.h).
//
// Memory bandwidth bounds the speed: many bytes must be in flight. Each warp (32 consecutive threads) works alone,
// on its own k or its own rows. Once a part of a chunk of X has been multiplied, the same part of the next chunk is
// loaded into its registers. Only Y, which all rows need, passes through LDS, in the warp's own slot.
//
//   a warp's tile, one quad of k (4 k elements):        lanes: 8 of rows x 4 groups of k
//
//              narrow_thread columns                    thread: 4 rows x narrow_thread columns, accumulators in
//              +---------------+                                registers; group g takes the quads g, g + 4, ...
//     4 of k   | Y: broadcasts |                                of a chunk
//              +---------------+                        X K-major:   rows l, l + 8, l + 16, l + 24 of lane l,
//   +------+   +---------------+                                     16 bytes of each row and quad
//   | X    |   | accumulators  |  32 rows               MN-major:    rows 4 l .. 4 l + 3, 16 bytes of each k
//   | 4 k  |   |               |
//   +------+   +---------------+                        not aligned: the same elements, 4 bytes at a time
//
// LDS of a warp holds Y, narrow_thread floats for each k, and 4 more after every 4 k, which spread the groups over the
// banks. At the end of a tile LDS holds the accumulators, for each warp along k. Groups are added by exchange within
// the warp, then warps in their order.
//
// Accumulators are pairs of neighbouring columns, so that one v_pk_fma_f32 makes two products, from a pair of Y in LDS
// and one element of X.
//
// No load needs a test. Rows and columns beyond the matrix repeat its last ones, and are not stored. If the chunk does
// not divide k, the last chunk is the last whole one, with zeros for the k that were multiplied before.
#pragma once

#include "gpu/thin/skinny_tile.h"

namespace libsgemm::hip::skinny {

using namespace gpu;

constexpr int kLanes = 8, kGroups = 4;  // lanes of a warp along rows; groups along k
constexpr int kThreadRows = 4, kRows = kThreadRows * kLanes;
constexpr int kWarps = 8;  // limit of a block

// Shape has `narrow_thread`, a thread's columns, a multiple of 4; and `quads`, the even number of quads of k in a
// thread's registers. The kernel's Config adds how X is read.
template <typename Shape, bool kXAlongK, bool kXVectors>
struct Layout : Shape {
  static constexpr bool x_along_k = kXAlongK, x_vectors = kXVectors;
};

template <typename Shape>
struct Derived {
  static constexpr int kChunk = 4 * kGroups * Shape::quads;   // a warp's step
  static constexpr int kQuad = 4 * Shape::narrow_thread + 4;  // floats of Y
  static constexpr int kYFloats = kChunk / 4 * kQuad;
  static constexpr int kSumFloats = Shape::narrow_thread * (kRows + 4);
  static constexpr int kWarpFloats = kYFloats > kSumFloats ? kYFloats : kSumFloats;
  static_assert(Shape::narrow_thread % 4 == 0 && 32 % Shape::narrow_thread == 0 && kChunk % 32 == 0,
                "whole copies of Y");
};

template <typename Config>
struct Warp : Derived<Config> {
  static constexpr int kNarrow = Config::narrow_thread, kQuads = Config::quads;
  using D = Derived<Config>;
  static constexpr int kSteps = 32 / kNarrow;  // k that a warp moves at once if Y is not K-major
  using Sums = Vec2[kThreadRows][kNarrow / 2];
  using Quad = Vec2[4][2];  // 4 rows of 4 k, or 4 k of 4 rows
  using StagedY = float[D::kChunk / 32][kNarrow];

  const SkinnyWork &work;
  float *shared;
  int row_lane, group;
  Global<const float> *x;  // X at the thread's first row and first quad
  int rows_left;           // rows from the thread's first one on, at least one
  Global<const float> *y;  // Y at the thread's first element
  int y_p;                 // k of that element
  int64_t y_move;          // distance to the next element, y_moves times; then the last one repeats
  int y_moves;
  bool y_along_k;
  int y_slot;  // first element in LDS

  __device__ __forceinline__ Warp(const SkinnyWork &w, const SkinnyPlace &place, int64_t warp_row, int lane,
                                  float *slot)
      : work(w), shared(slot) {
    row_lane = lane % kLanes;
    group = lane / kLanes;
    const int64_t left = w.wide - warp_row;
    const int rows = static_cast<int>(left < kRows ? left : kRows);
    const int row =
        min(Config::x_along_k ? row_lane : 4 * row_lane, rows - (Config::x_along_k || !Config::x_vectors ? 1 : 4));
    rows_left = rows - row;
    x = global(w.x) + place.product * w.x_stride;
    x += Config::x_along_k ? (warp_row + row) * w.x_ld + 4 * group : warp_row + row + 4 * group * w.x_ld;
    // Fetches 32 k of a column, or all columns of some k, at once.
    y_along_k = w.y_k == 1;
    const int columns = static_cast<int>(place.columns_left < kNarrow ? place.columns_left : kNarrow);
    const int column = y_along_k ? 0 : lane % kNarrow;
    y_p = y_along_k ? lane : lane / kNarrow;
    y_move = y_along_k ? w.y_narrow : kSteps * w.y_k;
    y_moves = y_along_k ? columns - 1 : kNarrow;
    y_slot = y_p * kNarrow + y_p / 4 * 4 + column;
    y = global(w.y) + place.product * w.y_stride + y_p * w.y_k + (place.column + min(column, columns - 1)) * w.y_narrow;
  }

  __device__ __forceinline__ void fetch_x(Quad &to, int quad, Global<const float> *at) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) {  // i: a row if X is K-major, otherwise a k
      Global<const float> *from = at;
      if constexpr (Config::x_along_k) {
        from += min(kLanes * i, (rows_left - 1) / kLanes * kLanes) * work.x_ld + 4 * kGroups * quad;
      } else {
        from += (4 * kGroups * quad + i) * work.x_ld;
      }
      float e[4];
      if constexpr (Config::x_vectors) {
        const Vec4 v = *reinterpret_cast<Global<const Vec4> *>(from);
        e[0] = v.x, e[1] = v.y, e[2] = v.z, e[3] = v.w;
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j) e[j] = from[Config::x_along_k ? j : min(j, rows_left - 1)];
      }
      to[i][0] = vec2(e[0], e[1]);
      to[i][1] = vec2(e[2], e[3]);
    }
  }

  // Advances one pointer: the compiler would keep each offset in a register.
  __device__ __forceinline__ void fetch_y(StagedY &to, Global<const float> *at) const {
#pragma unroll
    for (int part = 0; part < D::kChunk / 32; ++part) {
      Global<const float> *from = at + 32 * part * work.y_k;
#pragma unroll
      for (int j = 0; j < kNarrow; ++j) {
        to[part][j] = *from;
        from += j < y_moves ? y_move : 0;
        keep_in_register(from);
      }
    }
  }

  __device__ __forceinline__ void clear(Quad (&xs)[kQuads], StagedY &ys, int done) const {
    const int x_left = 4 * group - done, y_left = y_p - done;  // negative: number to clear
#pragma unroll
    for (int quad = 0; quad < kQuads; ++quad) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const int step = x_left + 4 * kGroups * quad;
          if (step + (Config::x_along_k ? 2 * h : i) < 0) xs[quad][i][h].x = 0.0f;
          if (step + (Config::x_along_k ? 2 * h + 1 : i) < 0) xs[quad][i][h].y = 0.0f;
        }
      }
    }
#pragma unroll
    for (int part = 0; part < D::kChunk / 32; ++part) {
#pragma unroll
      for (int j = 0; j < kNarrow; ++j) {
        if (y_left + 32 * part + (y_along_k ? 0 : j * kSteps) < 0) ys[part][j] = 0.0f;
      }
    }
  }

  __device__ __forceinline__ void put_y(const StagedY &from) const {
    float *to = shared + y_slot;
#pragma unroll
    for (int part = 0; part < D::kChunk / 32; ++part, to += 8 * D::kQuad) {
      if (y_along_k) {
#pragma unroll
        for (int j = 0; j < kNarrow; ++j) to[j] = from[part][j];
      } else {
#pragma unroll
        for (int j = 0; j < kNarrow; ++j) to[j * kSteps * kNarrow + j * kSteps / 4 * 4] = from[part][j];
      }
    }
  }

  __device__ __forceinline__ void multiply(Sums &sum, const Quad &xs, int quad) const {
    const float *from = shared + (group + kGroups * quad) * D::kQuad;
#pragma unroll
    for (int q = 0; q < 4; ++q) {
#pragma unroll
      for (int j = 0; j < kNarrow; j += 4) {
        const Vec4 v = *reinterpret_cast<const Vec4 *>(from + q * kNarrow + j);
        const Vec2 ys[2] = {vec2(v.x, v.y), vec2(v.z, v.w)};
#pragma unroll
        for (int h = 0; h < 2; ++h) {
#pragma unroll
          for (int i = 0; i < kThreadRows; ++i) {
            const Vec2 x = Config::x_along_k ? xs[i][q / 2] : xs[q][i / 2];
            Vec2 &to = sum[i][j / 2 + h];
            to = (Config::x_along_k ? q : i) % 2 == 0 ? fma2<0>(ys[h], x, to) : fma2<1>(ys[h], x, to);
          }
        }
      }
      keep_order();  // avoids reading all of Y at once
    }
  }

  // Multiplies chunk `part` of each of the units [first, last).
  __device__ __forceinline__ void run(Sums &sum, int64_t first, int64_t last, int part) const {
    const int64_t stride = int64_t{work.warps_k} * D::kChunk, end = min(last * stride, work.k);
    const int64_t x_step = Config::x_along_k ? 1 : work.x_ld, last_chunk = work.k - D::kChunk;
    int64_t p = first * stride + part * D::kChunk;
    if (p >= end) return;
    Quad xs[kQuads];
    StagedY ys;
    // Otherwise the compiler would keep a pointer for each load.
    Global<const float> *x_at = x + min(p, last_chunk) * x_step, *y_at = y + min(p, last_chunk) * work.y_k;
    keep_in_register(x_at);
    keep_in_register(y_at);
    fetch_y(ys, y_at);
#pragma unroll
    for (int quad = 0; quad < kQuads; ++quad) fetch_x(xs[quad], quad, x_at);
#pragma unroll 1
    do {
      if (p > last_chunk) clear(xs, ys, static_cast<int>(p - last_chunk));
      put_y(ys);
      sync_warp();
      p += stride;
      // No branch: one chunk more than needed is fetched.
      x_at = x + min(p, last_chunk) * x_step;
      y_at = y + min(p, last_chunk) * work.y_k;
      keep_in_register(x_at);
      keep_in_register(y_at);
      fetch_y(ys, y_at);
#pragma unroll
      for (int quad = 0; quad < kQuads; ++quad) {
        multiply(sum, xs[quad], quad);
        keep_schedule();
        fetch_x(xs[quad], quad, x_at);
        keep_order();
      }
      sync_warp();
    } while (p < end);
  }

  // Adds the groups' accumulators; each group keeps every fourth column. Columns are `pitch` floats apart.
  __device__ __forceinline__ void put_sums(const Sums &sum, float *to, int pitch) const {
#pragma unroll
    for (int j = 0; j < kNarrow; ++j) {
      float all[kThreadRows];
#pragma unroll
      for (int i = 0; i < kThreadRows; ++i) {
        all[i] = j % 2 == 0 ? sum[i][j / 2].x : sum[i][j / 2].y;
#pragma unroll
        for (int mask = kLanes; mask < 32; mask *= 2) all[i] += shuffle_xor(all[i], mask);
      }
      if (j % kGroups == group) {
        float *column = to + j * pitch;
#pragma unroll
        for (int i = 0; i < kThreadRows; ++i) {
          column[Config::x_along_k ? row_lane + kLanes * i : 4 * row_lane + i] = all[i];
        }
      }
    }
  }
};

// k is at least one chunk.
template <typename Config>
__device__ __forceinline__ void compute(const SkinnyWork &work) {
  constexpr int kNarrow = Config::narrow_thread;
  using D = Derived<Config>;
  __shared__ Vec4 lds[kWarps * D::kWarpFloats / 4];
  float *const shared = reinterpret_cast<float *>(lds);
  for_each_share(work, [&](int64_t tile, int64_t first, int64_t last) {
    const SkinnyWork &of_sums = read_anew(work);
    const int rows = of_sums.warps_wide * kRows, pitch = rows + 4, part_floats = kNarrow * pitch;
    int thread = static_cast<int>(threadIdx.x);
    keep_in_register(thread);  // nothing derived from it stays in a register from tile to tile
    const int warp = thread / 32, warp_wide = warp / of_sums.warps_k, warp_k = warp % of_sums.warps_k;
    const SkinnyPlace at(of_sums, tile, rows, kNarrow);
    const int64_t warp_row = at.row + warp_wide * kRows;
    typename Warp<Config>::Sums sum = {};
    const Warp<Config> mine(of_sums, at, min(warp_row, of_sums.wide - 1), thread % 32, shared + warp * D::kWarpFloats);
    if (warp_row < of_sums.wide) mine.run(sum, first, last, warp_k);
    __syncthreads();  // Y has been read
    mine.put_sums(sum, shared + warp_k * part_floats + warp_wide * kRows, pitch);
    __syncthreads();
    const SkinnyWork &of_output = read_anew(work);
    const SkinnyPlace place(of_output, tile, rows, kNarrow);
    const SkinnyOutput out(of_output, place, first, last, rows, kNarrow);
    store_skinny(shared, of_output.warps_k, part_floats, pitch, rows, kNarrow, place, out);
  });
}

}  // namespace libsgemm::hip::skinny

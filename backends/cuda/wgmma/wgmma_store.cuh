// Stores of the wgmma main loop (wgmma_engine.cuh).
#pragma once

#include "instructions.cuh"
#include "wgmma_problem.h"

namespace libsgemm::cuda {

struct WgmmaOutput {
  float *c;  // element (0, 0)
  int64_t step_x, step_y;
  float alpha, beta;
  int x_end, y_end;
  bool vectors;
  Part part;

  __device__ __forceinline__ WgmmaOutput(const WgmmaProblem &p, int matrix)
      : c(p.c + matrix * p.c_elements),
        step_x(p.step_x),
        step_y(p.step_y),
        alpha(p.alpha),
        beta(p.beta),
        x_end(p.x),
        y_end(p.y),
        vectors(p.vectors),
        part(p.part) {}

  // True if any of the tile at (x, y) is in the part to store; contains(): if all of it is, as far as it is inside C.
  __device__ __forceinline__ bool meets(int x, int y, int height, int width) const {
    return part == Part::all || (part == Part::y_from_x ? y + width > x : x + height > y);
  }
  __device__ __forceinline__ bool contains(int x, int y, int height, int width) const {
    return part == Part::all || (part == Part::y_from_x ? y >= x + height - 1 : x >= y + width - 1);
  }
};

// Prefetches a warpgroup's tile of the old C to L2 during the products.
__device__ __forceinline__ void prefetch_output(const WgmmaOutput &out, int first_x, int first_y, int height,
                                                int width) {
  constexpr int kLine = 32, kLines = 16;  // floats of a cache line; threads for a row of up to 256 floats or 9 lines
  const bool along_y = out.step_y == 1;
  const int thread = static_cast<int>(threadIdx.x) % 128, at = thread % kLines * kLine;
  const int length = along_y ? min(width, out.y_end - first_y) : min(height, out.x_end - first_x);
  const int count = along_y ? min(height, out.x_end - first_x) : min(width, out.y_end - first_y);
  const int64_t step = along_y ? out.step_x : out.step_y;
  if (at >= length + kLine - 1) return;
  const float *line = out.c + first_x * out.step_x + first_y * out.step_y + min(at, length - 1);
#pragma unroll 1
  for (int row = thread / kLines; row < count; row += 128 / kLines) ptx::prefetch_to_l2(line + row * step);
}

// A Finish turns accumulators into elements of C: value(sum, row(x), column(y)). `wanted`: the tile is stored at all.
// place(out, x): address of row x of C.
struct DenseFinish {
  static constexpr bool dense = true;         // rows are step_x apart
  static constexpr bool reads_boxes = false;  // boxes along y may add to the old C
  __device__ __forceinline__ float *place(const WgmmaOutput &out, int x) const { return out.c + x * out.step_x; }
};
template <bool kReadsBoxes>
struct PlainFinishOf : DenseFinish {
  static constexpr bool wanted = true, reads_boxes = kReadsBoxes;
  __device__ __forceinline__ PlainFinishOf operator()(int, int, int) const { return {}; }
  __device__ __forceinline__ int row(int) const { return 0; }
  __device__ __forceinline__ int column(int) const { return 0; }
  __device__ __forceinline__ float value(float sum, int, int) const { return sum; }
};
using PlainFinish = PlainFinishOf<true>;
using UnreadFinish = PlainFinishOf<false>;  // if beta is 0, or C is read otherwise

// Stores a warpgroup's accumulators from registers.
template <class Config, class Finish>
__device__ __forceinline__ void store_sums(const float (&sum)[Config::halves][Config::n / 2], int first_x, int first_y,
                                           const WgmmaOutput &out, const Finish &finish) {
  constexpr int kRows = 2 * Config::halves;
  const int thread = static_cast<int>(threadIdx.x) % 128, lane = thread % 32;
  const int x = first_x + thread / 32 * 16 + lane / 4, y = first_y + lane % 4 * 2;
  const auto x_of = [x](int i) { return x + i / 2 * 64 + i % 2 * 8; };
  using Row = decltype(finish.row(0));
  Row rows[kRows];
  float *to[kRows];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    rows[i] = finish.row(min(x_of(i), out.x_end - 1));
    to[i] = finish.place(out, x_of(i));
  }
  const bool inside = first_x + 64 * Config::halves <= out.x_end && first_y + Config::n <= out.y_end;
  if (out.vectors && inside && out.contains(first_x, first_y, 64 * Config::halves, Config::n)) {
#pragma unroll
    for (int j = 0; j < Config::n / 8; ++j) {
      const auto column_0 = finish.column(y + 8 * j), column_1 = finish.column(y + 8 * j + 1);
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const float *s = &sum[i / 2][4 * j + i % 2 * 2];
        float2 v = make_float2(out.alpha * finish.value(s[0], rows[i], column_0),
                               out.alpha * finish.value(s[1], rows[i], column_1));
        float2 *c = reinterpret_cast<float2 *>(to[i] + y + 8 * j);
        if (out.beta != 0) {
          const float2 old = *c;
          v.x = fmaf(out.beta, old.x, v.x), v.y = fmaf(out.beta, old.y, v.y);
        }
        *c = v;
      }
    }
    return;
  }
#pragma unroll
  for (int j = 0; j < Config::n / 8; ++j) {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const int y_of = y + 8 * j + c;
      if (y_of >= out.y_end) continue;
      const auto column = finish.column(y_of);
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        if (x_of(i) >= out.x_end || !out.contains(x_of(i), y_of, 1, 1)) continue;
        float *element = to[i] + y_of * out.step_y;
        float v = out.alpha * finish.value(sum[i / 2][4 * j + i % 2 * 2 + c], rows[i], column);
        if (out.beta != 0) v = fmaf(out.beta, *element, v);
        *element = v;
      }
    }
  }
}

__device__ constexpr float kNothing[4][4] = {};  // stands for a C that is not read

// Finish::row() of a thread's two rows of a box.
template <class Finish>
struct BoxRows {
  decltype(std::declval<Finish>().row(0)) of[2];
  __device__ __forceinline__ BoxRows(const Finish &finish, int x, const WgmmaOutput &out) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int r = 0; r < 2; ++r) of[r] = finish.row(min(x + lane / 4 + 8 * r, out.x_end - 1));
  }
};

// Writes a warp's box b, 16 rows of 32 columns, to shared memory, in TMA's swizzle of 128 bytes. Odd rows are two
// groups of columns ahead, to avoid bank conflicts. kBack: the last box begins 16 columns earlier, to end with the
// tile.
template <class Config, bool kBack, bool kReads = false, class Finish>
__device__ __forceinline__ void fill_box(const float (&sum)[Config::n / 2], int b, uint32_t box,
                                         const BoxRows<Finish> &rows, int y, const WgmmaOutput &out,
                                         const Finish &finish, const float (&there)[4][4] = kNothing) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool odd = lane / 4 % 2 != 0;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int mine = odd ? j ^ 2 : j;  // group of 8 columns
    const int column = y + Config::box_y * b - (kBack ? 16 : 0) + 8 * mine;
    const auto column_0 = finish.column(min(column, out.y_end - 1));
    const auto column_1 = finish.column(min(column + 1, out.y_end - 1));
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int first = 16 * b - (kBack ? 8 : 0) + 2 * r;
      const float *even_sums = &sum[first + 4 * j], *odd_sums = &sum[first + 4 * (j ^ 2)];
      float v0 = out.alpha * finish.value(odd ? odd_sums[0] : even_sums[0], rows.of[r], column_0);
      float v1 = out.alpha * finish.value(odd ? odd_sums[1] : even_sums[1], rows.of[r], column_1);
      if constexpr (kReads) v0 = fmaf(out.beta, there[j][2 * r], v0), v1 = fmaf(out.beta, there[j][2 * r + 1], v1);
      const int row = lane / 4 + 8 * r, chunk = 2 * mine + lane % 4 / 2;
      ptx::store_shared_x2(box + row * 128 + (chunk ^ row % 8) * 16 + lane % 2 * 8, v0, v1);
    }
  }
}

// fill_box() for contiguous rows, in TMA's swizzle of 64 bytes. Threads of odd columns write their second column first,
// to avoid bank conflicts.
template <class Config, bool kBack, class Finish>
__device__ __forceinline__ void fill_box_along_x(const float (&sum)[Config::n / 2], int b, uint32_t box,
                                                 const BoxRows<Finish> &rows, int y, const WgmmaOutput &out,
                                                 const Finish &finish) {
  static_assert(Config::box_x == 16, "64 bytes");
  const int lane = static_cast<int>(threadIdx.x) % 32, pair = lane % 4, odd = lane % 2;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int column = y + Config::box_y * b - (kBack ? 16 : 0) + 8 * j;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float *sums = &sum[16 * b - (kBack ? 8 : 0) + 4 * j + 2 * r];
      const int row = lane / 4 + 8 * r, chunk = row / 4 ^ pair;
      const uint32_t to = box + (8 * j + 2 * pair) * 64 + chunk * 16 + row % 4 * 4;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int c = odd ^ i;
        const float v =
            finish.value(odd != 0 ? sums[1 - i] : sums[i], rows.of[r], finish.column(min(column + c, out.y_end - 1)));
        ptx::store_shared(to + c * 64, out.alpha * v);
      }
    }
  }
}

// Reads the old C in the order of fill_box(), bypassing the L1 cache, which does not see TMA's writes. The target is
// not the accumulators: the compiler would then serialise the wgmma instructions (its warning C7515).
template <class Config>
__device__ __forceinline__ void read_box(float (&there)[4][4], int b, int first_x, int y, const WgmmaOutput &out) {
  const int lane = static_cast<int>(threadIdx.x) % 32, first = y + Config::box_y * b;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int column = first + 8 * (lane / 4 % 2 != 0 ? j ^ 2 : j);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int x = first_x + lane / 4 + 8 * r;
      // TMA requires a multiple of 4 columns, so pairs are inside as a whole.
      const bool inside = x < out.x_end && column < out.y_end;
      const float2 *from = reinterpret_cast<const float2 *>(out.c + x * out.step_x + column);
      const float2 pair = inside ? __ldcg(from) : make_float2(0, 0);
      there[j][2 * r] = pair.x, there[j][2 * r + 1] = pair.y;
    }
  }
}

// Lines of a box that a convolution's warp handles at once: all of them, unrolled, would exceed the instruction cache.
template <class Config>
constexpr int kBoxLinesAtOnce = Config::planes == 1 ? 2 : 1;

// Writes kCount times 32 elements from a box to C: if wanted(i), a lane copies from(i) to to(i). The old C is read
// kAtOnce at a time, so that reads do not wait for each write.
template <int kAtOnce, int kCount, class Wanted, class To, class From>
__device__ __forceinline__ void write_box(float beta, const Wanted &wanted, const To &to, const From &from) {
  static_assert(kCount % kAtOnce == 0, "whole turns");
#pragma unroll 1
  for (int first = 0; first < kCount; first += kAtOnce) {
    float old[kAtOnce];
    if (beta != 0) {
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) old[i] = wanted(first + i) ? *to(first + i) : 0;
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const float v = ptx::load_shared(from(first + i));
      if (wanted(first + i)) *to(first + i) = beta != 0 ? fmaf(beta, old[i], v) : v;
    }
  }
}

template <int kAtOnce, class Config, class Finish>
__device__ __forceinline__ void write_box_rows(float beta, int x, int y, const WgmmaOutput &out, uint32_t box,
                                               const Finish &finish) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  write_box<kAtOnce, Config::box_x>(
      beta, [&](int r) { return x + r < out.x_end && y + lane < out.y_end && out.contains(x + r, y + lane, 1, 1); },
      [&](int r) { return finish.place(out, x + r) + y + lane; },
      [&](int r) { return box + r * 128 + (lane / 4 ^ r % 8) * 16 + lane % 4 * 4; });
}

// Stores a warpgroup's accumulators by TMA. A warp alternates between its two boxes.
template <class Config, bool kAlongX, bool kReads, class Finish>
__device__ __forceinline__ void store_boxes(const float (&sum)[Config::halves][Config::n / 2], int first_x, int first_y,
                                            int width, const TensorMap &map, int matrix, const WgmmaOutput &out,
                                            uint32_t boxes, const Finish &finish) {
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, lane = static_cast<int>(threadIdx.x) % 32;
  const int warp_x = first_x + 16 * warp, y = first_y + lane % 4 * 2;
  int turn = 0;
  [[maybe_unused]] bool first = true;
#pragma unroll
  for (int h = 0; h < Config::halves; ++h) {
    if (warp_x + 64 * h >= out.x_end) break;
    // The old C is read one box ahead if registers suffice.
    constexpr int kAhead = Config::X::by_threads || Config::any_triangle ? 0 : 1;
    [[maybe_unused]] float there[1 + kAhead][4][4];
    const auto read = [&](int b) { read_box<Config>(there[b % (1 + kAhead)], b, warp_x + 64 * h, y, out); };
    if constexpr (kReads && kAhead > 0) read(0);
    const BoxRows<Finish> rows(finish, warp_x + 64 * h, out);
#pragma unroll
    for (int b = 0; b < Config::n / Config::box_y; ++b) {
      if (first_y + Config::box_y * b >= out.y_end) break;
      if constexpr (Config::any_triangle) {
        if (!out.meets(warp_x + 64 * h, first_y + Config::box_y * b, Config::box_x, Config::box_y)) continue;
      }
      const bool back = Config::any_width && !kReads && b > 0 && Config::box_y * (b + 1) > width;
      if constexpr (kReads) {
        const int next = b + kAhead;
        if (next < Config::n / Config::box_y && first_y + Config::box_y * next < out.y_end) read(next);
      }
      const uint32_t box = boxes + turn;
      turn = Config::box_bytes - turn;  // independent of h and b: at the edge of C halves have fewer boxes
      if (lane == 0) {
        if (Config::any_triangle ? first : h == 0 && b == 0) {
          ptx::store_wait<0>();  // the tile before may have ended with either box
        } else {
          ptx::store_wait<1>();
        }
      }
      first = false;
      __syncwarp();
      const auto fill = [&](auto moved) {
        constexpr bool kBack = decltype(moved)::value;
        if constexpr (kAlongX) {
          fill_box_along_x<Config, kBack>(sum[h], b, box, rows, y, out, finish);
        } else {
          fill_box<Config, kBack, kReads>(sum[h], b, box, rows, y, out, finish, there[b % (1 + kAhead)]);
        }
      };
      // Two copies of the code save a choice for each accumulator.
      if constexpr (Config::any_width && !kReads) {
        if (back) {
          fill(std::true_type());
        } else {
          fill(std::false_type());
        }
      } else {
        fill(std::false_type());
      }
      if constexpr (Config::any_triangle) {
        // The diagonal crosses the box. The warp's other boxes all come before or all after it, so no copy reads it.
        const int x_of = warp_x + 64 * h, y_of = first_y + Config::box_y * b;
        if (!out.contains(x_of, y_of, Config::box_x, Config::box_y)) {
          __syncwarp();
          write_box_rows<4, Config>(0, x_of, y_of, out, box, finish);
          continue;
        }
      }
      ptx::order_with_tma();
      __syncwarp();
      if (lane == 0) {
        const int x_of = warp_x + 64 * h, y_of = first_y + Config::box_y * b - (back ? 16 : 0);
        ptx::store_box(&map, box, kAlongX ? x_of : y_of, kAlongX ? y_of : x_of, 0, matrix);
        ptx::store_commit();
      }
    }
  }
}

// Stores accumulators through a box without TMA. A warp writes 32 neighbours at once.
template <class Config, class Finish>
__device__ __forceinline__ void store_rows(const float (&sum)[Config::halves][Config::n / 2], int first_x, int first_y,
                                           const WgmmaOutput &out, uint32_t box, const Finish &finish) {
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, lane = static_cast<int>(threadIdx.x) % 32;
  const int warp_x = first_x + 16 * warp;
  [[maybe_unused]] constexpr int kAtOnce = Finish::dense ? 4 : kBoxLinesAtOnce<Config>;
  if (lane == 0) ptx::store_wait<0>();  // boxes of the previous tile
#pragma unroll
  for (int h = 0; h < Config::halves; ++h) {
    const int x = warp_x + 64 * h;
    if (x >= out.x_end) break;
    const BoxRows<Finish> rows(finish, x, out);
#pragma unroll
    for (int b = 0; b < Config::n / Config::box_y; ++b) {
      const int y = first_y + Config::box_y * b;
      if (y >= out.y_end) break;
      __syncwarp();
      fill_box<Config, false>(sum[h], b, box, rows, first_y + lane % 4 * 2, out, finish);
      __syncwarp();
      write_box_rows<kAtOnce, Config>(out.beta, x, y, out, box, finish);
    }
  }
}

// store_rows() for contiguous rows of C: 16 rows and two columns at once.
template <class Config, class Finish>
__device__ __forceinline__ void store_columns(const float (&sum)[Config::halves][Config::n / 2], int first_x,
                                              int first_y, const WgmmaOutput &out, uint32_t box, const Finish &finish) {
  static_assert(Config::box_x == 16, "half a warp");
  [[maybe_unused]] constexpr int kAtOnce = kBoxLinesAtOnce<Config>;
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, lane = static_cast<int>(threadIdx.x) % 32;
  const int row = lane % Config::box_x, column = lane / Config::box_x;
#pragma unroll
  for (int h = 0; h < Config::halves; ++h) {
    const int x = first_x + 16 * warp + 64 * h;
    if (x >= out.x_end) break;
    const BoxRows<Finish> rows(finish, x, out);
    float *const first = finish.place(out, x + row);
#pragma unroll
    for (int b = 0; b < Config::n / Config::box_y; ++b) {
      const int y = first_y + Config::box_y * b;
      if (y >= out.y_end) break;
      __syncwarp();
      fill_box<Config, false>(sum[h], b, box, rows, first_y + lane % 4 * 2, out, finish);
      __syncwarp();
      write_box<kAtOnce, Config::box_y / 2>(
          out.beta, [&](int i) { return x + row < out.x_end && y + column + 2 * i < out.y_end; },
          [&](int i) { return first + (y + column + 2 * i) * out.step_y; },
          [&](int i) {
            const int c = column + 2 * i;
            return box + row * 128 + (c / 4 ^ row % 8) * 16 + c % 4 * 4;
          });
    }
  }
}

}  // namespace libsgemm::cuda

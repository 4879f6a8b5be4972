// Main loop of the products of sm_90 (stream_k.cuh, sliced_k.cuh): a thread adds outer products of 16 rows of A and 8
// columns of B. reassign_registers.py depends on the exact form of these loops.
//
// Shared memory; every load takes 4 neighbours of a line:
//   A, B MN-major    a line of up to 128 floats for each k; more rows of A: 16 lines for each 128
//   A K-major        a line of 16 floats for each row, swizzled (tensor_map.h); or lines of 8, the lower half of k
//                    before the upper one, which takes fewer registers
#pragma once

#include "ptx.h"

namespace libsgemm::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// Offsets of a pass from the start of the ring, in bytes. `a_odd`: for the odd rows of a swizzled A.
struct OuterProductPass {
  uint32_t a, a_odd, b;
};

__device__ __forceinline__ void load_four(float *to, uint32_t shared) {
  const float4 v = ptx::load_shared_x4(shared);
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
  to[3] = v.w;
}

template <int kRows, int kColumns, int kLaneRows>
struct OuterProductTile {
  static constexpr int rows = kRows, lane_rows = kLaneRows, lane_columns = 32 / kLaneRows;
  static constexpr uint32_t row_line = 4 * 128, column_line = 4 * kColumns;  // bytes for one k
};

template <bool kAlongK, bool kSwizzled = kAlongK, typename Tile = OuterProductTile<256, 128, 4>>
struct OuterProduct;

// Both MN-major: loads elements one k ahead.
template <typename Tile>
struct OuterProduct<false, false, Tile> {
  static constexpr int steps = 8;  // k of a pass: 1024 FFMA, what the instruction cache holds
  uint32_t at_a, at_b;
  float a[2][16], b[2][8];

  // `rows`, `columns`: addresses of A and B.
  __device__ __forceinline__ OuterProduct(uint32_t rows, int row, uint32_t columns, int column) {
    at_a = rows + row / 128 * (16 * Tile::row_line) + row % 128 * 4;
    at_b = columns + column * 4;
    ptx::keep_in_register(at_a);
    ptx::keep_in_register(at_b);
  }

  __device__ __forceinline__ void load(int k, const OuterProductPass &pass) {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      load_four(&b[k % 2][4 * q], at_b + pass.b + k * Tile::column_line + 16 * Tile::lane_columns * q);
    }
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      load_four(&a[k % 2][4 * q], at_a + pass.a + k * Tile::row_line + 16 * Tile::lane_rows * q);
    }
  }

  // The first pass of the stage at `place`.
  __device__ __forceinline__ static OuterProductPass stage(uint32_t place) { return {place, 0, place}; }
  __device__ __forceinline__ static OuterProductPass after(const OuterProductPass &pass) {
    return {pass.a + steps * Tile::row_line, 0, pass.b + steps * Tile::column_line};
  }

  __device__ __forceinline__ void start(const OuterProductPass &pass) { load(0, pass); }

  // Adds the products of a pass, and loads the first elements of the next.
  __device__ __forceinline__ void multiply(const OuterProductPass &now, const OuterProductPass &next,
                                           float (&sum)[16][8]) {
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      load((k + 1) % steps, k == steps - 1 ? next : now);
#pragma unroll
      for (int j = 0; j < 8; ++j) {
#pragma unroll
        for (int step = 0; step < 16; ++step) {
          const int i = j % 2 == 0 ? step : 15 - step;
          sum[i][j] = fmaf(a[k % 2][i], b[k % 2][j], sum[i][j]);
        }
      }
    }
  }
};

// K-major A: for every four k, multiplies four rows of A by B, then the next four, which it loads ahead.
template <bool kSwizzled, typename Tile>
struct OuterProduct<true, kSwizzled, Tile> {
  static constexpr int steps = 8, row_groups = 4, row_step = Tile::lane_rows;
  static constexpr uint32_t along_k_line = kSwizzled ? 64 : 32;
  static_assert(!kSwizzled || row_step == 4, "the swizzle of a thread's rows is that of rows 4 apart");
  uint32_t at_a[kSwizzled ? 2 : 1], at_b;  // swizzled A: for even and odd quads of k
  float a[4][4], b[4][8];                  // [row][step], [step][column]

  // If A is swizzled, quad q of row i is at q ^ i / 2 % 4.
  __device__ __forceinline__ OuterProduct(uint32_t rows, int row, uint32_t columns, int column) {
#pragma unroll
    for (int quad = 0; quad < (kSwizzled ? 2 : 1); ++quad) {
      at_a[quad] = rows + row * along_k_line + (kSwizzled ? (quad ^ row / 2 % 2) * 16 : 0);
      ptx::keep_in_register(at_a[quad]);
    }
    at_b = columns + column * 4;
    ptx::keep_in_register(at_b);
  }

  __device__ __forceinline__ void load_a(int quad, int group, const OuterProductPass &pass) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = row_step * (4 * group + i);
      load_four(a[i], kSwizzled ? at_a[quad] + (i % 2 == 0 ? pass.a : pass.a_odd) + row * along_k_line
                                : at_a[0] + pass.a + row * along_k_line + 16 * quad);
    }
  }

  __device__ __forceinline__ void load_b(int k, const OuterProductPass &pass) {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      load_four(&b[k % 4][4 * q], at_b + pass.b + k * Tile::column_line + 16 * Tile::lane_columns * q);
    }
  }

  __device__ __forceinline__ static OuterProductPass stage(uint32_t place) { return {place, place + 32, place}; }
  __device__ __forceinline__ static OuterProductPass after(const OuterProductPass &pass) {
    return {pass.a + (kSwizzled ? 32 : along_k_line * Tile::rows), pass.a_odd - 32, pass.b + steps * Tile::column_line};
  }

  __device__ __forceinline__ void start(const OuterProductPass &pass) {
    load_a(0, 0, pass);
#pragma unroll
    for (int k = 0; k < 4; ++k) load_b(k, pass);
  }

  __device__ __forceinline__ void multiply(const OuterProductPass &now, const OuterProductPass &next,
                                           float (&sum)[16][8]) {
    constexpr int kQuads = steps / 4;
#pragma unroll
    for (int quad = 0; quad < kQuads; ++quad) {
      const bool last_quad = quad == kQuads - 1;
#pragma unroll
      for (int group = 0; group < row_groups; ++group) {
        const bool last_group = group == row_groups - 1;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int step = 0; step < 8; ++step) {
              const int j = i % 2 == 0 ? step : 7 - step;
              float &to = sum[4 * group + i][j];
              to = fmaf(a[i][k], b[k][j], to);
            }
          }
          if (last_group) load_b(last_quad ? k : k + 4, last_quad ? next : now);
        }
        load_a(last_group ? (quad + 1) % kQuads : quad, (group + 1) % row_groups, last_group && last_quad ? next : now);
      }
    }
  }
};

// reassign_registers.py replaces these placeholders by moves of accumulators.
__device__ __forceinline__ void leave_room_for_moves() {
#if defined(LIBSGEMM_REASSIGN_SLOTS)
#pragma unroll
  for (int slot = 0; slot < LIBSGEMM_REASSIGN_SLOTS; ++slot) asm volatile("pmevent 1;");
#endif
}

#endif  // sm_90

}  // namespace libsgemm::cuda

// The medium product of sm_90 (halves.cuh): what a block and a thread have, and the loop over k.
#pragma once

#include "halves.h"
#include "ptx.h"

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

// What a thread multiplies in a step of k: an outer product of 16 rows and 8 columns.
//
// An operand that runs along m or n lies as rows of 128 floats, one for each step of k; a load takes 4 neighbours. Rows
// that run along k lie as 8 floats each, 8 steps of k; a load takes 4 of these, and neighbouring lanes take
// neighbouring rows, which are in different banks.
//
// steer_registers.py expects these loops as they are.
template <bool kRowsAlongK>
struct HalvesFactors;

struct HalvesAddresses {
  static constexpr uint32_t line = 4 * HalvesShape::tile, along_k_line = 4 * HalvesShape::steps;
  uint32_t at_a, at_b;

  __device__ __forceinline__ HalvesAddresses(uint32_t ring, const HalvesThread &t, bool rows_along_k) {
    at_a = ring + (rows_along_k ? (t.warp_row + t.row_lane) * along_k_line : (t.warp_row + 4 * t.row_lane) * 4);
    at_b = ring + HalvesShape::operand_bytes + (t.warp_column + 4 * t.column_lane) * 4;
    ptx::keep_in_register(at_a);
    ptx::keep_in_register(at_b);
  }
  // 4 neighbours in a step of k, the part-th of 4 of the rows and of 2 of the columns; or four steps of one row.
  __device__ __forceinline__ void load_rows(float (&to)[4], int part, uint32_t offset) const {
    *reinterpret_cast<float4 *>(to) = ptx::load_shared_x4(at_a + offset + 64 * part);
  }
  __device__ __forceinline__ void load_columns(float (&to)[4], int part, uint32_t offset) const {
    *reinterpret_cast<float4 *>(to) = ptx::load_shared_x4(at_b + offset + 128 * part);
  }
  __device__ __forceinline__ void load_row(float (&to)[4], int row, uint32_t offset) const {
    *reinterpret_cast<float4 *>(to) = ptx::load_shared_x4(at_a + offset + 4 * row * along_k_line);
  }
};

// Rows and columns step by step.
template <>
struct HalvesFactors<false> : HalvesAddresses {
  static constexpr int registers = HalvesShape::multiplier_registers;
  alignas(16) float a[2][4][4], b[2][2][4];

  __device__ __forceinline__ HalvesFactors(uint32_t ring, const HalvesThread &t) : HalvesAddresses(ring, t, false) {}

  __device__ __forceinline__ void load(int set, uint32_t offset) {
#pragma unroll
    for (int q = 0; q < 2; ++q) load_columns(b[set][q], q, offset);
#pragma unroll
    for (int q = 0; q < 4; ++q) load_rows(a[set][q], q, offset);
  }
  __device__ __forceinline__ void start() { load(0, 0); }

  // Adds the products of 8 steps of k, which are at `now`, and loads the first factors of the next ones.
  __device__ __forceinline__ void multiply(uint32_t now, uint32_t next, float (&sum)[16][8]) {
    constexpr int kSteps = HalvesShape::steps;
#pragma unroll
    for (int k = 0; k < kSteps; ++k) {
      load(1 - k % 2, k == kSteps - 1 ? next : now + (k + 1) * line);
#pragma unroll
      for (int j = 0; j < 8; ++j) {
#pragma unroll
        for (int t = 0; t < 16; ++t) {
          const int i = j % 2 == 0 ? t : 15 - t;
          sum[i][j] = fmaf(a[k % 2][i / 4][i % 4], b[k % 2][j / 4][j % 4], sum[i][j]);
        }
      }
    }
  }
};

// Four steps of the columns, and of the rows four of four steps after the other.
template <>
struct HalvesFactors<true> : HalvesAddresses {
  static constexpr int registers = HalvesShape::along_k_registers;
  alignas(16) float a[4][4], b[4][2][4];  // [row][step], [step][column]

  __device__ __forceinline__ HalvesFactors(uint32_t ring, const HalvesThread &t) : HalvesAddresses(ring, t, true) {}

  __device__ __forceinline__ void load_a(int group, uint32_t offset) {
#pragma unroll
    for (int i = 0; i < 4; ++i) load_row(a[i], 4 * group + i, offset);
  }
  __device__ __forceinline__ void load_b(int k, uint32_t offset) {
#pragma unroll
    for (int q = 0; q < 2; ++q) load_columns(b[k % 4][q], q, offset + k * line);
  }
  __device__ __forceinline__ void start() {
    load_a(0, 0);
#pragma unroll
    for (int k = 0; k < 4; ++k) load_b(k, 0);
  }

  __device__ __forceinline__ void multiply(uint32_t now, uint32_t next, float (&sum)[16][8]) {
#pragma unroll
    for (int part = 0; part < 8; ++part) {
      const int quad = part / 4, group = part % 4;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
          for (int t = 0; t < 8; ++t) {
            const int j = i % 2 == 0 ? t : 7 - t;
            sum[4 * group + i][j] = fmaf(a[i][k], b[k][j / 4][j % 4], sum[4 * group + i][j]);
          }
        }
        if (group == 3) load_b(quad == 1 ? k : k + 4, quad == 1 ? next : now);
      }
      load_a((group + 1) % 4, part == 7 ? next : now + (part + 1) / 4 * 16);
    }
  }
};

#endif  // sm_90

}  // namespace libsgemm::cuda

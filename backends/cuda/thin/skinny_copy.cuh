// The rings of skinny.cuh: layout, and copies of a chunk. Operands keep their order; padding puts lanes that read at
// once on different banks.
#pragma once

#include <cstdint>

#include "ptx.h"

namespace libsgemm::cuda::skinny {

// A kernel's Shape has:
//   wide_thread, narrow_thread   accumulators of a thread (multiples of 4)
//   wide_lanes, narrow_lanes     lanes of a warp along both sides; the others divide k
//   chunk, stages                k of a ring slot, number of slots
//   warps, resident              warps of a block; blocks of a multiprocessor that registers must allow
//   narrow_most, ffma_share      as in SkinnyTile
template <typename Shape, bool kXAlongK, bool kYAlongK>
struct Layout : Shape {
  static constexpr bool x_along_k = kXAlongK, y_along_k = kYAlongK;
};

template <typename Config>
struct Derived {
  static constexpr int kGroups = 32 / (Config::wide_lanes * Config::narrow_lanes);
  static constexpr int kRows = Config::wide_thread * Config::wide_lanes;
  static constexpr int kColumns = Config::narrow_thread * Config::narrow_lanes;
  static constexpr int kChunk = Config::chunk;
  static constexpr int kQuads = kChunk / (4 * kGroups);  // quads of a thread in a chunk
  static constexpr int kXRow = Config::x_along_k ? kChunk + 4 : kRows;
  static constexpr int kXFloats = Config::x_along_k ? kRows * kXRow : kChunk * kXRow;
  static constexpr int kYRow = Config::y_along_k ? kChunk + 4 : kColumns;
  static constexpr int kYFloats = Config::y_along_k ? kColumns * kYRow : kChunk * (kColumns + 1);
  static constexpr int kSlot = kXFloats + kYFloats;
  static constexpr int kRing = Config::stages * kSlot;
  // Sums in the epilogue are columns of R, with kSumPad floats between them. kSumSkew shifts the k groups to different
  // banks.
  static constexpr int kSumPad = Config::x_along_k ? 1 : 4;
  static constexpr int kSumSkew = ((Config::wide_lanes - kColumns * kSumPad) % 32 + 32) % 32;
  static constexpr int kSums = kGroups * (kColumns * (kRows + kSumPad) + kSumSkew);
  static constexpr int kWarpFloats = kRing > kSums ? kRing : kSums;

  static_assert(Config::wide_thread % 4 == 0 && Config::narrow_thread % 4 == 0, "LDS.128");
  static_assert(Config::wide_lanes * Config::narrow_lanes * kGroups == 32, "lanes fill the warp");
  static_assert(kChunk % (4 * kGroups) == 0 && kChunk <= 32 && 32 % kChunk == 0, "copies of whole rows of a chunk");
  static_assert(kRows % 32 == 0 && kRows <= 128, "copies of whole columns of X");
  static_assert(kYFloats % 4 == 0 && kXFloats % 4 == 0, "slots are aligned to 16 bytes");
  static_assert(Config::stages >= 2, "one chunk is under way while another is used");
};

__device__ __forceinline__ int y_offset(int p, int columns) { return p * columns + p / 4 * 4; }

// ---- Copies of a chunk with `rows_left`, `columns_left` and `k_left` elements; beyond k both operands become 0

// The chunk must be complete, and X aligned.
template <typename Config>
__device__ __forceinline__ void copy_x_16(float *slot, const float *x, int64_t ld, int lane) {
  using D = Derived<Config>;
  constexpr int kAcross = (Config::x_along_k ? D::kChunk : D::kRows) / 4;  // vectors of a run
  constexpr int kRuns = 32 / kAcross;                                      // runs of an instruction
  constexpr int kAll = Config::x_along_k ? D::kRows : D::kChunk;
  const float *from = x + lane / kAcross * ld + lane % kAcross * 4;
  float *to = slot + lane / kAcross * D::kXRow + lane % kAcross * 4;
#pragma unroll
  for (int run = 0; run < kAll; run += kRuns) {
    ptx::copy_async_16(to + run * D::kXRow, from, true);
    from += kRuns * ld;
  }
}

template <typename Config, bool kComplete>
__device__ __forceinline__ void copy_x_4(float *slot, const float *x, int64_t ld, int64_t rows_left, int64_t k_left,
                                         int lane) {
  using D = Derived<Config>;
  constexpr int kAcross = Config::x_along_k ? D::kChunk : 32;
  constexpr int kRuns = 32 / kAcross;
  constexpr int kAll = Config::x_along_k ? D::kRows : D::kChunk;
  constexpr int kPieces = Config::x_along_k ? 1 : D::kRows / 32;
  const int64_t runs_left = Config::x_along_k ? rows_left : k_left,
                across_left = Config::x_along_k ? k_left : rows_left;
  const int first_run = lane / kAcross, across = lane % kAcross;
  const float *from = x + first_run * ld + across;
  float *to = slot + first_run * D::kXRow + across;
#pragma unroll 8
  for (int run = 0; run < kAll; run += kRuns) {
    if (Config::x_along_k && !kComplete && run >= rows_left) break;  // the rest is beyond R
#pragma unroll
    for (int piece = 0; piece < kPieces; ++piece) {
      const bool valid = kComplete || (first_run + run < runs_left && across + 32 * piece < across_left);
      ptx::copy_async_4(to + run * D::kXRow + 32 * piece, valid ? from + 32 * piece : x, valid);
    }
    from += kRuns * ld;
  }
}

template <typename Config>
__device__ __forceinline__ void copy_y_16(float *slot, const float *y, int64_t ld, int lane) {
  using D = Derived<Config>;
  constexpr int kAcross = (Config::y_along_k ? D::kChunk : D::kColumns) / 4;
  constexpr int kVectors = D::kChunk * D::kColumns / 4;
#pragma unroll
  for (int first = 0; first < kVectors; first += 32) {
    const int i = first + lane, run = i / kAcross, across = i % kAcross * 4;
    if (kVectors % 32 != 0 && i >= kVectors) break;
    float *to = slot + (Config::y_along_k ? run * D::kYRow : y_offset(run, D::kColumns)) + across;
    ptx::copy_async_16(to, y + run * ld + across, true);
  }
}

template <typename Config>
__device__ __forceinline__ void copy_y_4(float *slot, const float *y, int64_t stride_k, int64_t stride_narrow,
                                         int64_t columns_left, int64_t k_left, int lane) {
  using D = Derived<Config>;
  constexpr int kAll = D::kChunk * D::kColumns;
#pragma unroll 4
  for (int first = 0; first < kAll; first += 32) {
    const int i = first + lane;
    if (kAll % 32 != 0 && i >= kAll) break;
    if (Config::y_along_k && first / D::kChunk >= columns_left) break;  // the rest is beyond R
    const int p = Config::y_along_k ? i % D::kChunk : i / D::kColumns;
    const int j = Config::y_along_k ? i / D::kChunk : i % D::kColumns;
    const bool valid = p < k_left && j < columns_left;
    float *to = slot + (Config::y_along_k ? j * D::kYRow + p : y_offset(p, D::kColumns) + j);
    ptx::copy_async_4(to, valid ? y + p * stride_k + j * stride_narrow : y, valid);
  }
}

__device__ __forceinline__ bool aligned_16(const float *pointer, int64_t ld) {
  return reinterpret_cast<uintptr_t>(pointer) % 16 == 0 && ld % 4 == 0;
}

}  // namespace libsgemm::cuda::skinny

// The ring of thin.cuh: layout, and copies of a k-tile. Operands keep their order, so that copies can take 16 bytes of
// a transposed operand, too:
//
//   K-major       row r, k index p at r chunk + r / 4 * 4 + p   rows that eight lanes read at once: on different banks
//   otherwise     k index p, outer index o at p outer + o
#pragma once

#include <cstdint>

#include "ptx.h"

namespace libsgemm::cuda::thin {

// A kernel's Shape has:
//   warps_wide, warps_narrow     warps of a tile, of 64 rows x 4 narrow_thread columns each
//   narrow_thread                columns of a thread (a multiple of 4); it has 8 rows
//   k_groups                     groups of warps_wide x warps_narrow warps, which divide a k-tile
//   chunk, stages                k of a ring slot, number of slots
//   resident                     blocks of a multiprocessor that registers must allow
template <typename Shape, bool kXAlongK, bool kYAlongK, bool kXVectors, bool kYVectors>
struct Layout : Shape {
  static constexpr bool x_along_k = kXAlongK, y_along_k = kYAlongK, x_vectors = kXVectors, y_vectors = kYVectors;
};

template <typename Config>
struct Derived {
  static constexpr int kRows = 64 * Config::warps_wide, kColumns = 4 * Config::narrow_thread * Config::warps_narrow;
  static constexpr int kTileWarps = Config::warps_wide * Config::warps_narrow;
  static constexpr int kThreads = 32 * kTileWarps * Config::k_groups;
  static constexpr int kChunk = Config::chunk;
  static constexpr int kQuads = kChunk / 4 / Config::k_groups;  // quads of a warp in a slot
  static constexpr int kXFloats = kRows * kChunk + (Config::x_along_k ? kRows : 0);
  static constexpr int kYFloats = kColumns * kChunk + (Config::y_along_k ? kColumns : 0);
  static constexpr int kSlot = kXFloats + kYFloats;
  static constexpr int kSumRow = kRows + 4;
  static constexpr int kSums = Config::k_groups > 1 ? Config::k_groups *kColumns *kSumRow : 0;
  static constexpr int kFloats = Config::stages * kSlot > kSums ? Config::stages *kSlot : kSums;
  static constexpr int bytes = 4 * kFloats;
  static_assert(kChunk % (4 * Config::k_groups) == 0, "groups take whole quads");
  static_assert(Config::narrow_thread % 4 == 0, "LDS.128");
};

// Otherwise the compiler recomputes the value in each iteration.
__device__ __forceinline__ void keep(int &value) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(value));
#else
  (void)value;
#endif
}

// Threads that copy one contiguous run: a power of two, or all.
constexpr int lanes_of(int pieces, int threads) {
  int lanes = 1;
  while (lanes < pieces && lanes < threads) lanes *= 2;
  return lanes;
}

// A thread's copies of k-tiles, in pieces of 4 floats or one. Elements beyond `outer`, the side that is not k, are not
// copied: they only reach sums that are never stored.
template <int kOuter, int kDepth, int kThreads, bool kAlongK, bool kVectors>
struct Copies {
  static constexpr int kPiece = kVectors ? 4 : 1;
  static constexpr int kAcross = (kAlongK ? kDepth : kOuter) / kPiece, kAll = kAlongK ? kOuter : kDepth;  // runs
  static constexpr int kLanes = lanes_of(kAcross, kThreads), kRuns = kThreads / kLanes;
  static constexpr int kParts = (kAcross + kLanes - 1) / kLanes;  // several if a run is too long for all threads
  static constexpr int kPasses = (kAll + kRuns - 1) / kRuns * kParts;
  static_assert(kThreads % kLanes == 0 && (!kAlongK || (kRuns % 4 == 0 && kParts == 1)), "passes differ by a constant");
  static_assert(kParts == 1 || kAcross % kLanes == 0, "parts of a run are alike");
  const float *source = nullptr;  // first piece of the next k-tile
  int target;                     // its offset in a slot, in floats
  int left = 0;                   // outer elements from that piece on

  __device__ __forceinline__ Copies() {
    target = at(run(), across());
    keep(target);
  }

  __device__ __forceinline__ static int run() { return threadIdx.x / kLanes; }
  __device__ __forceinline__ static int across() { return threadIdx.x % kLanes * kPiece; }
  __device__ __forceinline__ static constexpr int at(int run, int across) {
    return kAlongK ? run * kDepth + run / 4 * 4 + across : run * kOuter + across;
  }

  __device__ __forceinline__ void begin(const float *operand, int64_t ld, int64_t first_outer, int64_t outer,
                                        int64_t p) {
    const int64_t all = outer - first_outer;
    left = static_cast<int>(all < kOuter ? all : kOuter) - (kAlongK ? run() : across());
    if (kLanes > kAcross && across() >= kAcross * kPiece) left = 0;
    source =
        operand + (kAlongK ? (first_outer + run()) * ld + p + across() : (p + run()) * ld + first_outer + across());
  }

  __device__ __forceinline__ static constexpr int run_of(int pass) { return pass / kParts * kRuns; }
  __device__ __forceinline__ static constexpr int across_of(int pass) { return pass % kParts * kLanes * kPiece; }
  __device__ __forceinline__ bool has(int pass) const {
    if (kAlongK) return run_of(pass) < left;
    return across_of(pass) < left && (kAll % kRuns == 0 || run() + run_of(pass) < kAll);
  }

  __device__ __forceinline__ void advance(int64_t ld) { source += kAlongK ? kDepth : kDepth * ld; }

  // The k-tile is complete along k.
  __device__ __forceinline__ void copy_whole(float *slot, int64_t ld) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      if (!has(pass)) continue;
      float *const to = slot + target + at(run_of(pass), across_of(pass));
      const float *const from = source + run_of(pass) * ld + across_of(pass);
      if (kVectors) {
        ptx::copy_async_16(to, from, true);
      } else {
        ptx::copy_async_4(to, from, true);
      }
    }
    advance(ld);
  }

  // Only k < `depth` exists; the rest becomes 0.
  __device__ __forceinline__ void copy_part(float *slot, int64_t ld, int depth) {
#pragma unroll 1
    for (int pass = 0; pass < kPasses; ++pass) {
      if (!has(pass)) continue;
      const int steps = depth - (kAlongK ? across() : run() + run_of(pass));  // k from this piece on
      float *const to = slot + target + at(run_of(pass), across_of(pass));
      const float *const from = source + run_of(pass) * ld + across_of(pass);
#pragma unroll
      for (int e = 0; e < kPiece; ++e) {
        const bool valid = (kAlongK ? e : 0) < steps;
        ptx::copy_async_4(to + e, valid ? from + e : source, valid);
      }
    }
    advance(ld);
  }
};

}  // namespace libsgemm::cuda::thin

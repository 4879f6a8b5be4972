// FP16 or bfloat16 operands by vector instructions: tiles become FP32 when they are stored in LDS.
#pragma once

#include "gpu/element.h"
#include "gpu/tiles/tile.h"
#include "tile_stream.h"

namespace libsgemm::hip {

using namespace gpu;

struct WidenedProblem : TileProblem {
  bool a_along_k, b_along_k;  // K-major
};

// TileStream element by element, for any alignment, stride and direction. A thread fetches pairs of neighbours along k,
// which share an offset.
template <int Outer, int Depth, int Threads, Type kType>
struct WidenedStream : StreamPosition<Depth, int64_t, Outer * Depth / (2 * Threads), false> {
  static constexpr int pitch = Outer + 4;
  static constexpr int floats = Depth * pitch;
  static constexpr int pairs = Outer * Depth / (2 * Threads);
  static constexpr int outer_step = 2 * Threads / Depth, k_step = 2 * Threads / Outer;  // distances of pairs
  static_assert(2 * Threads % Depth == 0 && Threads % Outer == 0 && pairs * 2 * Threads == Outer * Depth,
                "whole pairs");
  using Staged = uint32_t[pairs][2];  // raw bits

  using Position = typename WidenedStream::StreamPosition;
  using Position::base, Position::k_bytes, Position::offset;

  int k, next_k;            // k of the first pair; distance to the next one
  int target, next_target;  // the same in LDS

  __device__ __forceinline__ WidenedStream(const void *operand, int64_t ld, bool along_k, int64_t first, int64_t left,
                                           int64_t first_k) {
    const int thread = static_cast<int>(threadIdx.x);
    const int64_t outer_bytes = 2 * (along_k ? ld : 1);
    k_bytes = uniform_distance(2 * (along_k ? 1 : ld));
    base = uniform(global(static_cast<const char *>(operand)) + first * outer_bytes + first_k * k_bytes);
    const int last = static_cast<int>(left < Outer ? left : Outer) - 1;
    const int outer = along_k ? thread / (Depth / 2) : thread % Outer;
    k = 2 * (along_k ? thread % (Depth / 2) : thread / Outer);
    next_k = uniform(along_k ? 0 : k_step);
    target = k * pitch + outer;
    next_target = uniform(along_k ? outer_step : k_step * pitch);
#pragma unroll
    for (int i = 0; i < pairs; ++i) {
      offset[i] = min(outer + (along_k ? i * outer_step : 0), last) * outer_bytes + (k + i * next_k) * k_bytes;
    }
  }

  __device__ __forceinline__ uint32_t element(int i, int j) const {
    return *reinterpret_cast<Global<const uint16_t> *>(base + j * k_bytes + offset[i]);
  }
  __device__ __forceinline__ void fetch(Staged &staged) const {
#pragma unroll
    for (int i = 0; i < pairs; ++i) staged[i][0] = element(i, 0), staged[i][1] = element(i, 1);
  }
  __device__ __forceinline__ void fetch_short(Staged &staged, int depth) const {
#pragma unroll
    for (int i = 0; i < pairs; ++i) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        staged[i][j] = 0;
        if (k + i * next_k + j < depth) staged[i][j] = element(i, j);
      }
    }
  }
  __device__ __forceinline__ void store(float *tile, const Staged &staged) const {
#pragma unroll
    for (int i = 0; i < pairs; ++i) {
      float *to = tile + target + i * next_target;
      to[0] = widen<kType>(staged[i][0]);
      to[pitch] = widen<kType>(staged[i][1]);
    }
  }
};

}  // namespace libsgemm::hip

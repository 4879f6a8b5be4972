// Tiles of a square matrix of which one triangle is stored, element by element, as tile_stream.h fetches others: of a
// symmetric one the mirrored element is read where it is not stored; of a triangular one there are zeros, and ones on a
// diagonal that is not read.
//
//        k ->
//      +---+---+---+
//      | x | p | p |     p  on the stored side: lanes along the contiguous direction
//   o  +---+---+---+     x  the diagonal crosses it: each element by itself
//   u  | m | x | p |     m  on the other side, symmetric: lanes along the other direction, so that what a wave reads is
//   t  +---+---+---+        contiguous again; triangular: such tiles are not asked for
#pragma once

#include "gpu/level3/one_sided.h"
#include "tile_stream.h"

namespace libsgemm::hip {

using namespace gpu;

template <int Outer, int Depth, int Threads, bool kSymmetric, int Pad = 4>
struct SquareStream {
  static constexpr int pitch = Outer + Pad;
  static constexpr int floats = Depth * pitch;
  static constexpr int copies = Outer * Depth / Threads;
  static_assert(Threads % Outer == 0 && Threads % Depth == 0 && copies * Threads == Outer * Depth, "whole copies");
  using Staged = float[copies];

  Global<const float> *base;  // of the matrix; the same in all threads
  int64_t ld;
  int first, order, next_k;  // the tile's first outer index, and step of k
  bool along_k, upper, unit;
  int target, target_step;  // in LDS, of what was fetched last: of the first copy, and from one to the next

  __device__ __forceinline__ SquareStream(const void *matrix, int64_t ld, const OneSidedProblem &o, int64_t first,
                                          int64_t first_k)
      : base(uniform(global(static_cast<const float *>(matrix)))),
        ld(ld),
        first(static_cast<int>(first)),
        order(static_cast<int>(o.product.k)),
        next_k(static_cast<int>(first_k)),
        along_k(o.along_k),
        upper(o.upper),
        unit(o.unit) {}

  // Element (outer, k) lies at (x, y) of the stored matrix, x along its columns.
  __device__ __forceinline__ float element(int outer, int k) const {
    const bool stored = upper ? outer <= k : outer >= k;
    if (!kSymmetric && !stored) return 0.0f;
    if (!kSymmetric && unit && outer == k) return 1.0f;
    const bool k_is_x = along_k == stored;
    const int x = k_is_x ? k : outer, y = k_is_x ? outer : k;
    return base[x + y * ld];
  }

  // A k-tile of `depth` steps, zeros after them. Rows beyond the matrix are its last one again.
  __device__ __forceinline__ void fetch_short(Staged &staged, int depth) {
    const bool mirrored = kSymmetric && (upper ? next_k + Depth <= first : first + Outer <= next_k);
    const bool lanes_along_k = along_k != mirrored;
    const int thread = static_cast<int>(threadIdx.x);
    const int outer = lanes_along_k ? thread / Depth : thread % Outer;
    const int k = lanes_along_k ? thread % Depth : thread / Outer;
    const int outer_step = lanes_along_k ? Threads / Depth : 0, k_step = lanes_along_k ? 0 : Threads / Outer;
    target = k * pitch + outer;
    target_step = k_step * pitch + outer_step;
#pragma unroll
    for (int i = 0; i < copies; ++i) {
      staged[i] = 0.0f;
      if (k + i * k_step < depth) {
        staged[i] = element(min(first + outer + i * outer_step, order - 1), next_k + k + i * k_step);
      }
    }
  }
  __device__ __forceinline__ void fetch(Staged &staged) { fetch_short(staged, Depth); }
  __device__ __forceinline__ void advance(int depth = Depth) { next_k += depth; }

  __device__ __forceinline__ void store(float *tile, const Staged &staged) const {
#pragma unroll
    for (int i = 0; i < copies; ++i) tile[target + i * target_step] = staged[i];
  }
};

}  // namespace libsgemm::hip

// Tiles of a square matrix of which one triangle is stored, where the diagonal crosses them: fetched element by
// element, with the interface of tile_stream.h. An element that is not stored is the mirrored one in a symmetric
// matrix, zero in a triangular one. A unit diagonal is not read.
#pragma once

#include "gpu/level3/one_sided.h"
#include "tile_stream.h"

namespace libsgemm::hip {

using namespace gpu;

template <int Outer, int Depth, int Threads, bool kSymmetric, int Pad>
struct SquareStream {
  static constexpr int pitch = Outer + Pad;
  static constexpr int floats = Depth * pitch;
  static constexpr int copies = Outer * Depth / Threads, width = 1;
  static constexpr int k_step = Threads / Outer;  // distance of a thread's copies
  static constexpr int target_step = k_step * pitch, element_step = 1;
  static_assert(Threads % Outer == 0 && copies * Threads == Outer * Depth, "whole copies");
  using Staged = float[copies][width];

  Global<const float> *base;
  int64_t ld;
  int outer, k;  // first copy of the thread, in the k-tile to fetch
  bool along_k, upper, unit;
  int target;  // its place in LDS

  __device__ __forceinline__ SquareStream(const void *matrix, int64_t ld, const OneSidedProblem &o, int64_t first,
                                          int64_t first_k)
      : base(uniform(global(static_cast<const float *>(matrix)))),
        ld(ld),
        along_k(o.along_k),
        upper(o.upper),
        unit(o.unit) {
    const int thread = static_cast<int>(threadIdx.x);
    target = thread / Outer * pitch + thread % Outer;
    k = static_cast<int>(first_k) + thread / Outer;
    // Rows beyond the matrix repeat its last one.
    outer = static_cast<int>(min(first + thread % Outer, o.product.k - 1));
  }

  // Element of the thread's row at this k; (x, y) are the row and column where it is stored.
  __device__ __forceinline__ float element(int k) const {
    const bool stored = upper ? outer <= k : outer >= k;
    if (!kSymmetric && !stored) return 0.0f;
    if (!kSymmetric && unit && outer == k) return 1.0f;
    const bool k_is_x = along_k == stored;
    const int x = k_is_x ? k : outer, y = k_is_x ? outer : k;
    return base[x + y * ld];
  }

  __device__ __forceinline__ void fetch(Staged &staged) const {
#pragma unroll
    for (int i = 0; i < copies; ++i) staged[i][0] = element(k + i * k_step);
  }
  __device__ __forceinline__ void fetch_short(Staged &staged, int depth) const {
    const int first = static_cast<int>(threadIdx.x) / Outer;
#pragma unroll
    for (int i = 0; i < copies; ++i) staged[i][0] = first + i * k_step < depth ? element(k + i * k_step) : 0.0f;
  }
  __device__ __forceinline__ void advance(int depth = Depth) { k += depth; }

  __device__ __forceinline__ void store_one(float *tile, const Staged &staged, int i) const {
    tile[target + i * target_step] = staged[i][0];
  }
  __device__ __forceinline__ void store(float *tile, const Staged &staged) const {
#pragma unroll
    for (int i = 0; i < copies; ++i) store_one(tile, staged, i);
  }
};

}  // namespace libsgemm::hip

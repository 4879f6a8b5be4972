// Copies a symmetric or triangular operand to shared memory element by element.
#pragma once

#include "gpu/element.h"
#include "structured_problem.h"

namespace libsgemm::gpu::level3 {

template <Type TYPE>
__device__ __forceinline__ float load_element(const void *data, int64_t at) {
  if constexpr (TYPE == Type::f32) {
    return global(static_cast<const float *>(data))[at];
  } else {
    return widen<TYPE>(global(static_cast<const unsigned short *>(data))[at]);
  }
}

// The thread's index, pinned so that the compiler hoists nothing computed from it out of a loop.
__device__ __forceinline__ int pinned_thread() {
  int thread = static_cast<int>(threadIdx.x);
  pin(thread);
  return thread;
}

// fetch() loads OUTER x DEPTH elements into registers for store().
template <int OUTER, int DEPTH, int THREADS, Type TYPE>
struct Stager {
  static constexpr int kCount = OUTER * DEPTH / THREADS;
  static constexpr int kStride = OUTER + 4;  // floats from one k element to the next
  static_assert(OUTER * DEPTH % THREADS == 0 && THREADS % DEPTH == 0, "the same number of elements for each thread");
  static_assert(THREADS % OUTER == 0 || OUTER % THREADS == 0, "threads side by side along the outer direction");

  float staged[kCount];
  int outer, depth;  // this thread's first element
  bool along_outer;  // neighbouring threads are along outer, not along depth

  __device__ __forceinline__ void spread(bool contiguous_outer) {
    const int thread = pinned_thread();
    along_outer = contiguous_outer;
    outer = along_outer ? thread % OUTER : thread / DEPTH;
    depth = along_outer ? thread / OUTER : thread % DEPTH;
  }
  __device__ __forceinline__ int outer_step() const { return along_outer ? 0 : THREADS / DEPTH; }
  __device__ __forceinline__ int depth_step() const { return along_outer ? THREADS / OUTER : 0; }

  __device__ __forceinline__ void fetch(const void *data, Walk walk, int64_t first_outer, int64_t first_depth,
                                        int64_t outers, int64_t depths) {
    spread(walk.outer == 1);
    int64_t at = (first_outer + outer) * walk.outer + (first_depth + depth) * walk.depth;
    const int64_t step = outer_step() * walk.outer + depth_step() * walk.depth;
    if (first_outer + OUTER <= outers && first_depth + DEPTH <= depths) {
#pragma unroll
      for (int e = 0; e < kCount; ++e, at += step) {
        pin(at);  // keeps one address
        staged[e] = load_element<TYPE>(data, at);
      }
      return;
    }
    const int outer_end = outers - first_outer < OUTER ? static_cast<int>(outers - first_outer) : OUTER;
    const int depth_end = depths - first_depth < DEPTH ? static_cast<int>(depths - first_depth) : DEPTH;
#pragma unroll
    for (int e = 0; e < kCount; ++e, at += step) {
      pin(at);
      const bool inside = outer + e * outer_step() < outer_end && depth + e * depth_step() < depth_end;
      staged[e] = inside ? load_element<TYPE>(data, at) : 0.0f;
    }
  }

  // For a tile that the diagonal crosses. An element that is not stored is its mirror image (symmetric) or zero
  // (triangular).
  template <Structure STRUCTURE>
  __device__ __forceinline__ void fetch_diagonal(const void *data, Walk walk, int64_t first_outer, int64_t first_depth,
                                                 int64_t order, bool upper, bool unit) {
    spread(walk.outer == 1);
    int64_t i = first_outer + outer, l = first_depth + depth;
#pragma unroll
    for (int e = 0; e < kCount; ++e, i += outer_step(), l += depth_step()) {
      pin(i);
      pin(l);
      const bool stored = i == l || (i < l) == upper;
      staged[e] = 0.0f;
      if (i >= order || l >= order) continue;
      if (STRUCTURE == Structure::symmetric) {
        staged[e] =
            load_element<TYPE>(data, stored ? i * walk.outer + l * walk.depth : l * walk.outer + i * walk.depth);
      } else if (unit && i == l) {
        staged[e] = 1.0f;
      } else if (stored) {
        staged[e] = load_element<TYPE>(data, i * walk.outer + l * walk.depth);
      }
    }
  }

  __device__ __forceinline__ void store(float *shared) const {
    float *first = shared + depth * kStride + outer;
    if (along_outer) {
#pragma unroll
      for (int e = 0; e < kCount; ++e) first[e * (THREADS / OUTER) * kStride] = staged[e];
    } else {
#pragma unroll
      for (int e = 0; e < kCount; ++e) first[e * (THREADS / DEPTH)] = staged[e];
    }
  }
};

}  // namespace libsgemm::gpu::level3

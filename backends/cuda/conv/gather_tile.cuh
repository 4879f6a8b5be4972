// Asynchronous copies of the tiles of gpu/conv/gather_tile.h.
//
//   shared memory, in ConvPlaces    [A, if K-major: the tile's rows][B, if K-major: the tile's columns]
//                                   [slot 0: places of A's k, of B's k][slot 1] ...
//
// Each stage has a slot, since that many k-tiles are started before the first barrier. A copy of four floats is inside
// or outside of the image as a whole.
#pragma once

#include "gpu/conv/gather_tile.h"
#include "ptx.h"

namespace libsgemm::cuda {

using namespace gpu;

template <class Map>
struct GatherTile : GatheredTile<Map> {
  using GatheredTile<Map>::GatheredTile;

  __device__ __forceinline__ void copy_async(float *shared, const ConvPlace *sum, int first, int end) const {
    float *to = shared + Map::target;
    this->for_copies(sum, first, end, [to](int i, const float *element, bool inside) {
      if constexpr (Map::width == 4) {
        ptx::copy_async_16(to + i * Map::target_step, element, inside);
      } else {
        ptx::copy_async_4(to + i * Map::target_step, element, inside);
      }
    });
  }
};

// For dmma_multistage.cuh and multistage.cuh.
template <class A, class B, int Stages>
struct GatherSupply {
  static constexpr bool spread = true;
  static constexpr int depth = A::depth, slot_places = A::sum_places + B::sum_places;
  static constexpr int places = A::outer_places + B::outer_places + Stages * slot_places;

  A a;
  B b;
  const ConvProblem &problem;
  ConvPlace *slots;
  int slot;  // slot of the next k-tile
  int next;  // next k-tile, from 0 on in the block
  int first_k;

  // A barrier must precede the first copy.
  __device__ __forceinline__ GatherSupply(const ConvProblem &problem, int64_t group, int row, int column, int first_k,
                                          ConvPlace *table)
      : a(problem.row, problem.a, group, row, table),
        b(problem.column, problem.b, group, column, table + A::outer_places),
        problem(problem),
        slots(table + A::outer_places + B::outer_places),
        slot(0),
        next(0),
        first_k(first_k) {
    for (int i = static_cast<int>(threadIdx.x); i < Stages * slot_places; i += static_cast<int>(blockDim.x)) {
      const int of_slot = i % slot_places;
      slots[i] = sum_place(of_slot, i / slot_places);
    }
  }

  __device__ __forceinline__ void copy_async(float *stage) {
    a.copy_async(stage, slots + slot, 0, A::copies);
    b.copy_async(stage + A::floats, slots + slot + A::sum_places, 0, B::copies);
    advance();
  }

  __device__ __forceinline__ void copy_first(float *stage) {
    copy_async(stage);
    ptx::commit_copies();
  }
  __device__ __forceinline__ void copy_next(float *stage, bool more) {
    if (more) {
      if (next + 1 >= Stages) prepare();
      copy_async(stage);
    }
    ptx::commit_copies();
  }

  // A's parts come first.
  __device__ __forceinline__ void copy_part(int part, int parts, float *stage) {
    const int half = parts / 2, of_b = part - half;
    if (part < half) {
      a.copy_async(stage, slots + slot, A::copies * part / half, A::copies * (part + 1) / half);
    } else {
      b.copy_async(stage + A::floats, slots + slot + A::sum_places, B::copies * of_b / half,
                   B::copies * (of_b + 1) / half);
    }
    if (part == half - 1) prepare();
    if (part == parts - 1) advance();
  }

 private:
  __device__ __forceinline__ int slot_behind() const {
    return slot + slot_places == Stages * slot_places ? 0 : slot + slot_places;
  }
  __device__ __forceinline__ void advance() {
    slot = slot_behind();
    ++next;
  }

  // A's places of k come first.
  __device__ __forceinline__ ConvPlace sum_place(int i, int tile) const {
    const bool of_a = i < A::sum_places;
    const int k = of_a ? i * A::sum_step : (i - A::sum_places) * B::sum_step;
    return place_of(problem.sum, (of_a ? problem.a : problem.b).sum, first_k + tile * depth + k);
  }
  // Places of the k-tile after the next; the constructor computes the first Stages ones.
  __device__ __forceinline__ void prepare() {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < slot_places) slots[slot_behind() + thread] = sum_place(thread, next + 1);
  }
};

}  // namespace libsgemm::cuda

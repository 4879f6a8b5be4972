// The tiles of gpu/gather_tile.h by asynchronous copies.
//
//   shared memory, in ConvPlaces    [A: rows of the tile, inner][B: columns of the tile, inner]
//                                   [slot 0: steps of A's k, steps of B's k][slot 1] ...
//
// with as many slots as stages, since so many k-tiles are begun before the first barrier. Copies of four floats (_x4)
// are inside of the image as one, or outside.
#pragma once

#include "gpu/gather_tile.h"
#include "ptx.h"

namespace libsgemm::cuda {

using namespace gpu;

// One thread's share of an operand's tiles.
template <class Map>
struct GatherTile : GatheredTile<Map> {
  using GatheredTile<Map>::GatheredTile;

  // Copies from `first` on to before `end` of a k-tile whose places of k are at `sum`.
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

// Where the k-tiles of a convolution come from: as DmmaSupply (fp64/dmma_multistage.cuh).
template <class A, class B, int Stages>
struct GatherSupply {
  static constexpr bool spread = true;
  static constexpr int depth = A::depth, slot_places = A::sum_places + B::sum_places;
  static constexpr int places = A::outer_places + B::outer_places + Stages * slot_places;

  A a;
  B b;
  const ConvProblem &problem;
  ConvPlace *slots;
  int slot;  // of the next k-tile
  int next;  // k-tile, from the block's first on
  int first_k;

  // The block's tile of C begins at `row` and `column`, and its k at `first_k`. Behind a barrier, k-tiles can be
  // copied.
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

  // The next k-tile.
  __device__ __forceinline__ void copy_async(float *stage) {
    a.copy_async(stage, slots + slot, 0, A::copies);
    b.copy_async(stage + A::floats, slots + slot + A::sum_places, 0, B::copies);
    advance();
  }

  // The same as the loop of multistage.cuh asks for it: the block's first k-tile, and the next one, if there are more.
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

  // Share `part` of it: the first half of A's copies, its second half, and B's likewise.
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

  // Of a slot the place i, of A's or B's k.
  __device__ __forceinline__ ConvPlace sum_place(int i, int tile) const {
    const bool of_a = i < A::sum_places;
    const int k = of_a ? i * A::sum_step : (i - A::sum_places) * B::sum_step;
    return place_of(problem.sum, (of_a ? problem.a : problem.b).sum, first_k + tile * depth + k);
  }
  // The places of the k-tile behind the next one, which is none of the first.
  __device__ __forceinline__ void prepare() {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < slot_places) slots[slot_behind() + thread] = sum_place(thread, next + 1);
  }
};

}  // namespace libsgemm::cuda

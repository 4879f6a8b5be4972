// Tiles of an operand that is gathered from a tensor (gpu/conv_problem.h), in shared memory as those of a matrix are:
// what multiplies them is the same.
//
// Each of a thread's copies lies at one of its own places and one of a list that it walks through:
//
//   Fetch        own place                      list
//   outer(_x4)   a row or column of C           the steps of k of the k-tile
//   inner(_x4)   a step of k, of each k-tile    the tile's rows or columns of C
//
// All lanes of a warp, or eight of them, read the same place of the list. Places of C are computed once, those of k by
// a warp or two, once for the block: those of the k-tile behind this one while this one is copied.
//
//   shared memory, in ConvPlaces    [A: rows of the tile, inner][B: columns of the tile, inner]
//                                   [slot 0: steps of A's k, steps of B's k][slot 1] ...
//
// with as many slots as stages, since so many k-tiles are begun before the first barrier. Copies of four floats (_x4)
// are inside of the image as one, or outside.
#pragma once

#include "gpu/conv_problem.h"
#include "ptx.h"

namespace libsgemm::cuda {

using namespace gpu;

__device__ __forceinline__ ConvPlace load_place(const ConvPlace *shared) {
  const uint4 x = *reinterpret_cast<const uint4 *>(shared);
  return {static_cast<int64_t>(static_cast<uint64_t>(x.y) << 32 | x.x), static_cast<int>(x.z), static_cast<int>(x.w)};
}

// One thread's share of an operand's tiles. Map says where a tile's elements lie: FloatMap.
template <class Map>
struct GatherTile : Map {
  using Map::along_k, Map::copies, Map::depth, Map::extent, Map::step, Map::target_step, Map::width;
  static constexpr int outer_places = along_k ? extent : 0;
  static constexpr int sum_step = along_k ? width : 1, sum_places = depth / sum_step;  // steps of k that have places

  const char *data;  // with the thread's own place, unless along k
  int own_h, own_w;
  int image_height, image_width;
  const ConvPlace *outer_table;

  // Behind a barrier, all threads can read the places of `table`.
  __device__ __forceinline__ GatherTile(const ConvIndex &outer, const ConvOperand &operand, int64_t group,
                                        int first_outer, ConvPlace *table)
      : data(reinterpret_cast<const char *>(global(operand.data) + group * operand.group)),
        own_h(0),
        own_w(0),
        image_height(operand.height),
        image_width(operand.width),
        outer_table(table + Map::outer) {
    const auto place = [&](int i) {
      ConvPlace at = place_of(outer, operand.outer, i);
      if (i < outer.extent) at.h += operand.first_h, at.w += operand.first_w;
      return at;
    };
    if constexpr (along_k) {
      for (int i = static_cast<int>(threadIdx.x); i < extent; i += static_cast<int>(blockDim.x)) {
        table[i] = place(first_outer + i);
      }
    } else {
      const ConvPlace own = place(first_outer + Map::outer);
      data += own.bytes;
      own_h = own.h, own_w = own.w;
    }
  }

  // Copies from `first` on to before `end` of a k-tile whose places of k are at `sum`.
  __device__ __forceinline__ void copy_async(float *shared, const ConvPlace *sum, int first, int end) const {
    constexpr int kTogether = copies < 4 ? copies : 4;  // places that are loaded at once
    const ConvPlace own = along_k ? load_place(sum + Map::k / sum_step) : ConvPlace{0, own_h, own_w};
    const ConvPlace *list = along_k ? outer_table : sum + Map::k;
    const char *from = data + own.bytes;
    float *to = shared + Map::target;
#pragma unroll
    for (int begin = 0; begin < copies; begin += kTogether) {
      ConvPlace at[kTogether];
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        if (begin + i >= first && begin + i < end) at[i] = load_place(list + (begin + i) * step);
      }
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        if (begin + i < first || begin + i >= end) continue;
        const bool inside =
            static_cast<int>(static_cast<unsigned>(own.h + at[i].h) < static_cast<unsigned>(image_height)) &
            static_cast<int>(static_cast<unsigned>(own.w + at[i].w) < static_cast<unsigned>(image_width));
        const float *element = reinterpret_cast<const float *>(from + at[i].bytes);
        if constexpr (width == 4) {
          ptx::copy_async_16(to + (begin + i) * target_step, element, inside);
        } else {
          ptx::copy_async_4(to + (begin + i) * target_step, element, inside);
        }
      }
    }
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

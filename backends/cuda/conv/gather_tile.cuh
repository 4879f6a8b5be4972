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
//   shared memory, in ConvPlaces    [inner: rows or columns of the tile][k-tile 0 of depth steps][k-tile 1] ...
//
// so many k-tiles as stages, since that many are begun before the first barrier. Copies of four floats (_x4) are inside
// of the image as one, or outside.
#pragma once

#include "gpu/conv_problem.h"
#include "ptx.h"

namespace libsgemm::cuda {

using namespace gpu;

__device__ __forceinline__ ConvPlace load_place(const ConvPlace *shared) {
  const uint4 x = *reinterpret_cast<const uint4 *>(shared);
  return {static_cast<int64_t>(static_cast<uint64_t>(x.y) << 32 | x.x), static_cast<int>(x.z), static_cast<int>(x.w)};
}

// One thread's share of an operand's tiles, one after the other. Map says where a tile's elements lie: FloatMap.
template <class Map, int Stages>
struct GatherTile : Map {
  using Map::along_k, Map::copies, Map::depth, Map::extent, Map::step, Map::target_step, Map::width;
  static constexpr int listed = along_k ? extent : 0, places = listed + Stages * depth;

  const ConvIndex &index;
  const ConvOperand &operand;
  const float *data;
  ConvPlace outer_place;   // of the thread, unless along k
  ConvPlace *table, *now;  // of places; of those of the next k-tile
  int first_sum, tile;     // step of k where the block begins; next k-tile, from there
  int filler;              // which step of a k-tile the thread computes the place of, if it is one

  // `first_thread`: of those that compute places of k.
  __device__ __forceinline__ GatherTile(const ConvIndex &outer, const ConvIndex &sum, const ConvOperand &operand,
                                        int64_t group, int first_outer, int first_sum, ConvPlace *table,
                                        int first_thread)
      : index(sum),
        operand(operand),
        data(global(operand.data) + group * operand.group),
        outer_place{},
        table(table),
        now(table + listed),
        first_sum(first_sum),
        tile(0),
        filler(static_cast<int>(threadIdx.x) - first_thread) {
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
      outer_place = place(first_outer + Map::outer);
    }
    for (int i = static_cast<int>(threadIdx.x); i < Stages * depth; i += static_cast<int>(blockDim.x)) {
      now[i] = place_of(sum, operand.sum, first_sum + i);
    }
  }

  // The next k-tile. Behind a barrier, all threads' places can be read.
  __device__ __forceinline__ void copy_async(float *shared) {
    constexpr int kTogether = copies < 4 ? copies : 4;
    static_assert(copies % kTogether == 0, "places are loaded some at a time");
    const ConvPlace own = along_k ? load_place(now + Map::k) : outer_place;
    const ConvPlace *list = along_k ? table + Map::outer : now + Map::k;
    const float *from = data + own.place;
    float *to = shared + Map::target;
#pragma unroll
    for (int first = 0; first < copies; first += kTogether) {
      ConvPlace at[kTogether];
#pragma unroll
      for (int i = 0; i < kTogether; ++i) at[i] = load_place(list + (first + i) * step);
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        const bool inside = static_cast<unsigned>(own.h + at[i].h) < static_cast<unsigned>(operand.height) &&
                            static_cast<unsigned>(own.w + at[i].w) < static_cast<unsigned>(operand.width);
        if constexpr (width == 4) {
          ptx::copy_async_16(to + (first + i) * target_step, from + at[i].place, inside);
        } else {
          ptx::copy_async_4(to + (first + i) * target_step, from + at[i].place, inside);
        }
      }
    }
    now = now + depth == table + places ? table + listed : now + depth;
    if (++tile >= Stages && static_cast<unsigned>(filler) < static_cast<unsigned>(depth)) {
      now[filler] = place_of(index, operand.sum, first_sum + tile * depth + filler);
    }
  }
};

}  // namespace libsgemm::cuda

// Tiles of an operand that is gathered from a tensor (gpu/conv/conv_problem.h), in the layout of a matrix's tiles.
//
// Each of a thread's copies combines the thread's own place with one from a list:
//
//   Fetch        own place                      list
//   outer(_x4)   a row or column of C           the k elements of the k-tile
//   inner(_x4)   a k element, of each k-tile    the tile's rows or columns of C
//
// All lanes of a warp, or eight, read the same place of the list. Places of C are computed once. One or two warps
// compute those of k for the block, one k-tile ahead of the copies.
#pragma once

#include "conv_problem.h"
#include "gpu/tiles/tile.h"

namespace libsgemm::gpu {

__device__ __forceinline__ ConvPlace load_place(const ConvPlace *shared) {
  const uint4 x = *reinterpret_cast<const uint4 *>(shared);
  return {static_cast<int64_t>(static_cast<uint64_t>(x.y) << 32 | x.x), static_cast<int>(x.z), static_cast<int>(x.w)};
}

// Map: TileMap or FloatMap.
template <class Map>
struct GatheredTile : Map {
  using Map::along_k, Map::copies, Map::depth, Map::extent, Map::step, Map::target_step, Map::width;
  static constexpr int outer_places = along_k ? extent : 0;
  static constexpr int sum_step = along_k ? width : 1, sum_places = depth / sum_step;  // along k

  Global<const char> *data;  // includes the own place, unless along k
  int own_h, own_w;
  int image_height, image_width;
  const ConvPlace *outer_table;

  // `table` is complete after a barrier.
  __device__ __forceinline__ GatheredTile(const ConvIndex &outer, const ConvOperand &operand, int64_t group,
                                          int first_outer, ConvPlace *table)
      : data(reinterpret_cast<Global<const char> *>(global(operand.data) + group * operand.group)),
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

  __device__ __forceinline__ bool inside(const ConvPlace &one, const ConvPlace &other) const {
    return static_cast<int>(static_cast<unsigned>(one.h + other.h) < static_cast<unsigned>(image_height)) &
           static_cast<int>(static_cast<unsigned>(one.w + other.w) < static_cast<unsigned>(image_width));
  }

  // Calls copy() for copies first to end - 1 of a k-tile, whose places of k are `sum`.
  template <typename Copy>
  __device__ __forceinline__ void for_copies(const ConvPlace *sum, int first, int end, const Copy &copy) const {
    constexpr int kTogether = copies < 4 ? copies : 4;  // places loaded at once
    const ConvPlace own = along_k ? load_place(sum + Map::k / sum_step) : ConvPlace{0, own_h, own_w};
    const ConvPlace *list = along_k ? outer_table : sum + Map::k;
    Global<const char> *from = data + own.bytes;
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
        const bool in_image = inside(own, at[i]);
        copy(begin + i, reinterpret_cast<Global<const float> *>(from + at[i].bytes), in_image);
      }
    }
  }
};

}  // namespace libsgemm::gpu

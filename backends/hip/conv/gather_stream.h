// Tiles of an operand that is gathered from a tensor, for the loop of valu.h, with the interface of tile_stream.h
// (gather_parts.h is for matrix.h). One of two slots of LDS holds the places of k for the next fetch. Meanwhile some
// threads compute those of the k-tile after it in the other slot; the loop's barrier separates the two.
//
//   LDS, in ConvPlaces    [rows of the tile, inner][slot 0: places of k][slot 1]
#pragma once

#include "gpu/conv/gather_tile.h"

namespace libsgemm::hip {

using namespace gpu;

// FirstThread and those after it compute places of k.
template <class Map, int FirstThread>
struct GatherStream : GatheredTile<Map> {
  using Tile = GatheredTile<Map>;
  using Tile::copies, Tile::depth, Tile::width, Tile::outer_places, Tile::sum_places, Tile::sum_step;
  using Staged = float[copies][width];
  static constexpr int places = outer_places + 2 * sum_places;

  const ConvIndex &index;
  const ConvSteps &steps;
  ConvPlace *slots;
  int slot;    // slot of the k-tile to fetch
  int next_k;  // k of the next places

  // A barrier must precede the first fetch.
  __device__ __forceinline__ GatherStream(const ConvIndex &outer, const ConvIndex &sum, const ConvOperand &operand,
                                          int group, int first, int first_k, ConvPlace *table)
      : Tile(outer, operand, group, first, table),
        index(sum),
        steps(operand.sum),
        slots(table + outer_places),
        slot(0),
        next_k(first_k + 2 * depth) {
    const int i = static_cast<int>(threadIdx.x) - FirstThread;
    if (i >= 0 && i < 2 * sum_places) slots[i] = place_of(index, steps, first_k + i * sum_step);
  }

  __device__ __forceinline__ void fetch(Staged &staged) const {
    this->for_copies(slots + slot, 0, copies, [&](int i, Global<const float> *from, bool inside) {
#pragma unroll
      for (int j = 0; j < width; ++j) staged[i][j] = 0.0f;
      if (!inside) return;
      if constexpr (width == 4) {
        const Vec4 x = *reinterpret_cast<Global<const Vec4> *>(from);
        staged[i][0] = x.x, staged[i][1] = x.y, staged[i][2] = x.z, staged[i][3] = x.w;
      } else {
        staged[i][0] = *from;
      }
    });
  }
  __device__ __forceinline__ void fetch_short(Staged &staged, int) const { fetch(staged); }

  // advance(int), after the first k-tile, writes no places: other threads may still read them.
  __device__ __forceinline__ void advance() {
    const int i = static_cast<int>(threadIdx.x) - FirstThread;
    if (i >= 0 && i < sum_places) slots[sum_places - slot + i] = place_of(index, steps, next_k + i * sum_step);
    next_k += depth;
    slot = sum_places - slot;
  }
  __device__ __forceinline__ void advance(int) { slot = sum_places - slot; }
};

}  // namespace libsgemm::hip

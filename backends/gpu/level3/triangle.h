// Tiles of products of which only one triangle of C is computed (RoutineTraits::triangle_of_c).
//
//   lower, strips of 16 tile rows
//   +---+
//   | 0 |
//   +---+---+
//   |     2 | 1 |   within a strip the full columns first, top to bottom, so that blocks share operands in L2; then
//   | 1   3 |---+   the remaining triangle.
//   +-------+-------+
//
// Upper triangles exchange rows and columns.
#pragma once

#include "gpu/tiles/tile.h"

namespace libsgemm::gpu {

struct TriangleProblem {
  TileProblem product;  // m == n
  int term_tiles;       // k-tiles of one product
  bool upper;
};

struct TriangleTile {
  int row, column;

  __device__ __forceinline__ explicit TriangleTile(int index) {
    row = static_cast<int>((sqrtf(8.0f * static_cast<float>(index) + 1.0f) - 1.0f) * 0.5f);
    while (row * (row + 1) / 2 > index) --row;
    while ((row + 1) * (row + 2) / 2 <= index) ++row;
    column = index - row * (row + 1) / 2;
  }
};

template <class Config>
__device__ __forceinline__ TilePosition<Config> triangle_position(const TriangleProblem &p) {
  constexpr int kStrip = 16;
  const int index = static_cast<int>(blockIdx.x);
  const int first_row = TriangleTile(index).row / kStrip * kStrip;
  const int height = min(kStrip, p.product.tiles_m - first_row);
  const int within = index - first_row * (first_row + 1) / 2;
  int row = first_row + within % height, column = within / height;
  if (column >= first_row) {
    const TriangleTile rest(within - first_row * height);
    row = first_row + rest.row;
    column = first_row + rest.column;
  }
  return p.upper ? TilePosition<Config>(column, row) : TilePosition<Config>(row, column);
}

}  // namespace libsgemm::gpu

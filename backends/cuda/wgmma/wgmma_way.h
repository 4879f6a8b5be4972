// In which way the wgmma engine computes a product of 16-bit operands, and how long that takes by its cost model.
#pragma once

#include "gpu/cost.h"
#include "runtime/device.h"
#include "wgmma_triangle.h"

namespace libsgemm::cuda {

// Rows of x and columns of y of a tile, which side x is (WgmmaSides), slices of k.
struct WgmmaWay {
  int rows;
  int width;
  bool swapped;
  WgmmaCluster cluster;
  int slices;
  double seconds;
};

// Of tiles of so many rows of x and `width` columns of y the way that takes least, of one slice or of more; slices is 0
// if there is none.
WgmmaWay best_wgmma_way(const GemmDesc &desc, int rows, int width, bool split, int index);

// Whether there is one at all; one of more slices.
bool fits_wgmma_width(const GemmDesc &desc, int width);
bool splits_wgmma(const GemmDesc &desc, int rows, int width, int index);

// How a launch computes the triangle of a product: in up to three parts at a time (WgmmaTriangle), each by so many
// clusters.
struct WgmmaTriangleWay {
  struct Part {
    int width;
    WgmmaCluster cluster;
    TriangleTiles tiles;
    int at_once;  // 0: there is none
  } parts[kTriangleParts];
  double seconds;
};

// By tiles `width` wide: 128, or pairs of wider ones; 256 wide these are the squares beside the diagonal, and blocks
// alone compute those on it.
WgmmaTriangleWay wgmma_triangle_way(const GemmDesc &product, bool y_grows, int width, int index);

}  // namespace libsgemm::cuda

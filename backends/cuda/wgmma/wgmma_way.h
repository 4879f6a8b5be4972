// Selection of the way in which the wgmma engine computes a product of 16-bit operands, by a cost model.
#pragma once

#include "gpu/cost.h"
#include "runtime/device.h"
#include "wgmma_triangle.h"

namespace libsgemm::cuda {

// Way to compute a product: rows of x and columns of y of a tile, sides (WgmmaSides), cluster, slices of k, predicted
// time.
struct WgmmaWay {
  int rows;
  int width;
  bool swapped;
  WgmmaCluster cluster;
  int slices;
  double seconds;
};

// Returns the fastest way with tiles of `rows` rows of x and `width` columns of y, with k in more than one slice if
// `split`, otherwise in one. slices is 0 if there is no such way.
WgmmaWay best_wgmma_way(const GemmDesc &desc, int rows, int width, bool split, int index);

// True if there is a way at all; below, one of more than one slice.
bool fits_wgmma_width(const GemmDesc &desc, int width);
bool splits_wgmma(const GemmDesc &desc, int rows, int width, int index);

// Way to compute the triangle of a product: up to three parts at a time (WgmmaTriangle), each by at_once clusters.
struct WgmmaTriangleWay {
  struct Part {
    int width;
    WgmmaCluster cluster;
    TriangleTiles tiles;
    int at_once;  // clusters; 0: no such part
  } parts[kTriangleParts];
  double seconds;
};

// Returns the way with tiles `width` wide: single blocks for 128, pairs for wider ones. With 256, pairs compute the
// squares off the diagonal, and single blocks those on it.
WgmmaTriangleWay wgmma_triangle_way(const GemmDesc &product, bool y_grows, int width, int index);

}  // namespace libsgemm::cuda

// Selection, by a cost model, of the configuration with which the wgmma kernels compute a product of 16-bit operands.
#pragma once

#include "gpu/cost.h"
#include "runtime/device.h"
#include "wgmma_triangle.h"

namespace libsgemm::cuda {

// Configuration of a product: rows of x and columns of y of a tile, sides (WgmmaSides), cluster, slices of k, predicted
// time.
struct WgmmaWay {
  int rows;
  int width;
  bool swapped;
  WgmmaCluster cluster;
  int slices;
  double seconds;
};

// Returns the fastest configuration with tiles of `rows` rows of x and `width` columns of y; `split`: with k in more
// than one slice. `slices` is 0 if there is none.
WgmmaWay best_wgmma_way(const GemmDesc &desc, int rows, int width, bool split, int index);

// True if there is a configuration at all; below, one of more than one slice.
bool fits_wgmma_width(const GemmDesc &desc, int width);
bool splits_wgmma(const GemmDesc &desc, int rows, int width, int index);

// Configuration of a triangle: up to three parts at a time (WgmmaTriangle), each by at_once clusters.
struct WgmmaTriangleWay {
  struct Part {
    int width;
    WgmmaCluster cluster;
    TriangleTiles tiles;
    int at_once;  // clusters; 0: no such part
  } parts[kTriangleParts];
  double seconds;
};

// Returns the configuration with tiles `width` wide: single blocks for 128, pairs for wider ones. With 256, pairs
// compute the squares off the diagonal, and single blocks those on it.
WgmmaTriangleWay wgmma_triangle_way(const GemmDesc &product, bool y_grows, int width, int index);

}  // namespace libsgemm::cuda

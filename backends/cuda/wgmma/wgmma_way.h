// Selects the wgmma configuration of a product of 16-bit operands by a cost model.
#pragma once

#include "gpu/cost.h"
#include "runtime/device.h"
#include "wgmma_triangle.h"

namespace libsgemm::cuda {

// Configuration: rows of x and columns of y of a tile, sides (WgmmaSides), cluster, slices of k, predicted time.
struct WgmmaWay {
  int rows;
  int width;
  bool swapped;
  WgmmaCluster cluster;
  int slices;
  double seconds;
};

// The fastest configuration with tiles of `rows` rows of x and `width` columns of y; `split`: with two slices of k or
// more. `slices` is 0 if there is none.
WgmmaWay best_wgmma_way(const GemmDesc &desc, int rows, int width, bool split, int index);

// True if there is a configuration; below, one of several slices.
bool fits_wgmma_width(const GemmDesc &desc, int width);
bool splits_wgmma(const GemmDesc &desc, int rows, int width, int index);

// Configuration of a triangle: up to three parts (WgmmaTriangle).
struct WgmmaTriangleWay {
  struct Part {
    int width;
    WgmmaCluster cluster;
    TriangleTiles tiles;
    int at_once;  // clusters; 0: no such part
  } parts[kTriangleParts];
  double seconds;
};

// The configuration with tiles `width` wide: single blocks for 128, pairs for wider ones; for 256, pairs only off the
// diagonal.
WgmmaTriangleWay wgmma_triangle_way(const GemmDesc &product, bool y_grows, int width, int index);

}  // namespace libsgemm::cuda

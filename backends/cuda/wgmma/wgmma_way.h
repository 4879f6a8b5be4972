// Selects the wgmma configuration of a product of 16-bit operands by a cost model.
#pragma once

#include "gpu/cost.h"
#include "runtime/device.h"
#include "wgmma_triangle.h"

namespace libsgemm::cuda {

struct WgmmaWay {
  int rows;      // a tile's rows of x
  int width;     // a tile's columns of y
  bool swapped;  // WgmmaSides
  WgmmaCluster cluster;
  int slices;
  double seconds;
};

// Returns the fastest configuration with tiles of `rows` x `width` and, if `split`, at least two slices. Its `slices`
// is 0 if there is none.
WgmmaWay best_wgmma_way(const GemmDesc &desc, int rows, int width, bool split, int index);

// True if there is a configuration; splits_wgmma(): one with several slices.
bool fits_wgmma_width(const GemmDesc &desc, int width);
bool splits_wgmma(const GemmDesc &desc, int rows, int width, int index);

struct WgmmaTriangleWay {
  struct Part {
    int width;
    WgmmaCluster cluster;
    TriangleTiles tiles;
    int at_once;  // clusters; 0: the part is not used
  } parts[kTriangleParts];
  double seconds;
};

// Tiles are `width` wide. Single blocks compute those of 128, pairs wider ones, except those of 256 on the diagonal.
WgmmaTriangleWay wgmma_triangle_way(const GemmDesc &product, bool y_grows, int width, int index);

}  // namespace libsgemm::cuda

// Selects the wgmma configuration of a product of 16-bit operands by a cost model.
#pragma once

#include "contract/backend.h"
#include "gpu/cost.h"
#include "runtime/device.h"
#include "wgmma_triangle.h"

namespace libsgemm::cuda {

// The fastest configuration whose tiles have `rows` rows of x and `width` columns of y, and, if `split`, at least two
// slices of k. Infinite seconds: there is none.
Plan best_wgmma_plan(const GemmDesc &desc, int rows, int width, bool split, int index);

struct WgmmaTrianglePlan {
  struct Part {
    int width;
    WgmmaCluster cluster;
    TriangleTiles tiles;
    int at_once;  // clusters; 0: the part is not used
  } parts[kTriangleParts];
  double seconds;
};

// Tiles are `width` wide. Single blocks compute those of 128, pairs wider ones, except those of 256 on the diagonal.
WgmmaTrianglePlan wgmma_triangle_plan(const GemmDesc &product, bool y_grows, int width, int index);

}  // namespace libsgemm::cuda

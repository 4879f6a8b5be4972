// A launch of the wgmma kernels over the tiles of a triangle. Host and device.
#pragma once

#include "wgmma_problem.h"

namespace libsgemm::cuda {

// Blocks before end[0] compute part 0, those before end[1] part 1, the others part 2, with tiles of another kind each.
constexpr int kTriangleParts = 3;
struct WgmmaTriangle {
  int end[kTriangleParts];
  WgmmaProblem problem[kTriangleParts];
  WgmmaMaps maps[kTriangleParts];
};

}  // namespace libsgemm::cuda

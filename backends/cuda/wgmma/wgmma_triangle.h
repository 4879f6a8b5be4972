// Description of a launch of the wgmma kernels over the tiles of a triangle. Host and device.
#pragma once

#include "wgmma_problem.h"

namespace libsgemm::cuda {

// A triangle in parts, each with tiles of another kind. Blocks before end[0] compute part 0, those from there to end[1]
// part 1, the others part 2.
constexpr int kTriangleParts = 3;
struct WgmmaTriangle {
  int end[kTriangleParts];
  WgmmaProblem problem[kTriangleParts];
  WgmmaMaps maps[kTriangleParts];
};

}  // namespace libsgemm::cuda

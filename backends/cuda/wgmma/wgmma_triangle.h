// What a launch of the wgmma engine over the tiles of a triangle computes. Host and device.
#pragma once

#include "wgmma_problem.h"

namespace libsgemm::cuda {

// The same triangle in parts, by tiles of different kinds: the blocks before end[0] compute those of part 0, those from
// there to end[1] those of part 1, the others those of part 2.
constexpr int kTriangleParts = 3;
struct WgmmaTriangle {
  int end[kTriangleParts];
  WgmmaProblem problem[kTriangleParts];
  WgmmaMaps maps[kTriangleParts];
};

}  // namespace libsgemm::cuda

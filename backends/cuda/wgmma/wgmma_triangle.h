// A wgmma launch for a triangle. Host and device.
#pragma once

#include "wgmma_problem.h"

namespace libsgemm::cuda {

// Blocks from end[p - 1] to end[p] compute part p; each part has tiles of one kind.
constexpr int kTriangleParts = 3;
struct WgmmaTriangle {
  int end[kTriangleParts];
  WgmmaProblem problem[kTriangleParts];
  WgmmaMaps maps[kTriangleParts];
};

}  // namespace libsgemm::cuda

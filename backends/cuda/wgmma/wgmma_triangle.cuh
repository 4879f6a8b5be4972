// Computes a triangle by wgmma (WgmmaTriangle): a block finds its part, and walks over that part's tiles.
#pragma once

#include "wgmma_engine.cuh"
#include "wgmma_triangle.h"

namespace libsgemm::cuda {

template <class Config, class Finish>
__device__ __forceinline__ void wgmma_triangle(const WgmmaTriangle &triangle, const Finish &finish) {
  static_assert(kTriangleParts == 3, "two ends to look for");
  const int block = static_cast<int>(blockIdx.x);
  const int part = (block >= triangle.end[0] ? 1 : 0) + (block >= triangle.end[1] ? 1 : 0);
  const int first = part > 0 ? triangle.end[part - 1] : 0, blocks = triangle.end[part] - first;
  const WgmmaWork work = {triangle.maps[part], triangle.problem[part], true};
  wgmma_products<Config>(work, walk_of<Config>(work.problem(), block - first, blocks, work.count()), finish);
}

}  // namespace libsgemm::cuda

// Parameters of the tile kernels of symm and trmm, except for their operands.
#pragma once

#include "gpu/tiles/tile_problem.h"

namespace libsgemm::gpu {

struct OneSidedProblem {
  TileProblem product;  // the gemm that it would be with all of A
  // Stored part of A, with k along its rows: the outer index is at most k, or at least k.
  bool upper;
  bool unit;     // trmm: the diagonal is one, and not read
  bool along_k;  // elements of A are contiguous along k. Placed before the other fields it makes
                 // sm90_dmma_64x64x32_trmm spill
};

}  // namespace libsgemm::gpu

// What a launch of the tile kernels of symm and trmm computes, besides its operands.
#pragma once

#include "gpu/tile_problem.h"

namespace libsgemm::gpu {

struct OneSidedProblem {
  TileProblem product;  // as the gemm that it would be with all of A
  // The part of A that is stored, seen with k along its rows: where the outer index is at most k, or at least.
  bool upper;
  bool unit;     // trmm: the diagonal is one, and not read
  bool along_k;  // elements of A are contiguous along k. In front of the others it costs sm90_dmma_64x64x32_trmm spills
};

}  // namespace libsgemm::gpu

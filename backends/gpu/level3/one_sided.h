// What a launch of the tile kernels of symm and trmm computes, besides its operands.
#pragma once

#include "gpu/tile_problem.h"

namespace libsgemm::gpu {

struct OneSidedProblem {
  TileProblem product;  // as the gemm that it would be with all of A
  bool along_k;         // elements of A are contiguous along k
  // The part of A that is stored, seen with k along its rows: where the outer index is at most k, or at least.
  bool upper;
  bool unit;  // trmm: the diagonal is one, and not read
};

}  // namespace libsgemm::gpu

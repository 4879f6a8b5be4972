// What a launch of the kernels of symm and trmm on FP64 tensor cores computes, besides its operands.
#pragma once

#include "gpu/tile.h"

namespace libsgemm::cuda {

struct OneSidedProblem {
  gpu::TileProblem product;  // as the gemm that it would be with all of A
  // The part of A that is stored, seen with k along its rows: where the outer index is at most k, or at least.
  bool upper;
  bool unit;  // trmm: the diagonal is one, and not read
};

}  // namespace libsgemm::cuda

// The problem of symm and trmm kernels, for host and device.
#pragma once

#include "gpu/tiles/tile_problem.h"

namespace libsgemm::gpu {

struct OneSidedProblem {
  TileProblem product;  // reads all of A
  // Stored part of A: the outer index is at most k, or at least k.
  bool upper;
  bool unit;     // trmm: the diagonal is one
  bool along_k;  // A is K-major. As the first member it makes sm90_dmma_64x64x32_trmm spill
};

}  // namespace libsgemm::gpu

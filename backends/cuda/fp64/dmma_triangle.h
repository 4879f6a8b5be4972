// What a launch of the triangle kernels on FP64 tensor cores computes, besides its operands.
#pragma once

#include "gpu/tile.h"

namespace libsgemm::cuda {

struct TriangleProblem {
  // m == n; k_tiles and slice_tiles count those of both products of syr2k.
  gpu::TileProblem product;
  int term_tiles;  // of one product
  bool upper;
};

}  // namespace libsgemm::cuda

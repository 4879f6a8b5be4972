// Parameters of a kernel that computes C in tiles.
#pragma once

#include <cstdint>

namespace libsgemm::gpu {

// The product that a launch computes, without its operands.
struct TileProblem {
  int64_t m, n, k, lda, ldb, ldc;
  float alpha, beta;
  int tiles_m, tiles_n;
  int k_tiles;      // k-tiles of the whole product
  int slice_tiles;  // k-tiles of one slice (blockIdx.y); all of them without split-K
  float *partial;   // split-K: slice s of product i is matrix i * slices + s, FP64 sums are doubles; else null
  int64_t partial_ld;
};

}  // namespace libsgemm::gpu

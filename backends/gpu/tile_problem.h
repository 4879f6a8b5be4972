// What a kernel that computes C in tiles is told of the product.
#pragma once

#include <cstdint>

namespace libsgemm::gpu {

// The product that a launch computes, besides its operands.
struct TileProblem {
  int64_t m, n, k, lda, ldb, ldc;
  float alpha, beta;
  int tiles_m, tiles_n;
  int k_tiles;      // of the whole product
  int slice_tiles;  // k-tiles of one slice (blockIdx.y); all of them unless split
  float *partial;  // split: sums of slice s of product i are matrix i * slices + s there, of FP64 as doubles; else null
  int64_t partial_ld;
};

}  // namespace libsgemm::gpu

#pragma once

#include <cstdint>

namespace libsgemm::gpu {

struct TileProblem {
  int64_t m, n, k, lda, ldb, ldc;
  float alpha, beta;
  int tiles_m, tiles_n;
  int k_tiles;      // number for the whole product
  int slice_tiles;  // number for a slice (blockIdx.y); all without split-K
  float *partial;   // split-K: slice s of product i is matrix i * slices + s, of doubles for FP64 sums; else null
  int64_t partial_ld;
  int chain_tiles;  // k-tiles of a chain, if the promised sums have several (finish.h); else 0
};

}  // namespace libsgemm::gpu

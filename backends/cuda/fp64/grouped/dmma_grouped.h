// Products of different sizes in one launch. Their table is a kernel parameter, so that nothing is copied or kept.
#pragma once

#include <cstdint>

#include "contract/backend.h"
#include "cuda/runtime/device.h"

namespace libsgemm::cuda {

// Column-major; no extent is 0.
struct GroupedProduct {
  const void *a, *b;
  float *c;
  int m, n, k, lda, ldb, ldc;
  float alpha, beta;
};

// Product i has tiles first[i] to first[i + 1] - 1.
struct GroupedProducts {
  static constexpr bool large_parameters = true;  // above the 4 KiB that every driver accepts
  static constexpr int kMost = 512;
  GroupedProduct product[kMost];
  int first[kMost + 1];
  int count;
  int chain_tiles;  // as in TileProblem
};

static_assert(sizeof(GroupedProducts) <= kLargeParameterBytes, "it is a kernel's parameter");

// A kernel's instance, one for each launch.
struct GroupedInstance {
  bool transa, transb, vectors;

  static GroupedInstance of(const GemmDesc &product);
  int index() const { return (transa ? 4 : 0) + (transb ? 2 : 0) + (vectors ? 1 : 0); }
  static constexpr int kCount = 8;
};

struct GroupedKernel {
  int tile_m, tile_n, tile_k;
  libsgemm_status_t (*enqueue)(GroupedInstance instance, const GroupedProducts &products, const Launch &launch,
                               Error *error);
};

// True if all numbers fit the table. The arrays of Batch::pointers must be in host memory.
bool fits_grouped(const GemmDesc &desc, const GroupedKernel &kernel);

// Implements GroupedLaunch::launch(). The deepest products come first, so that the last blocks are short.
libsgemm_status_t launch_grouped(const GroupedKernel &kernel, const GemmDesc *groups, int64_t count,
                                 const Launch &launch, Error *error);

}  // namespace libsgemm::cuda

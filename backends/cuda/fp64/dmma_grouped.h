// Products of different sizes that one launch computes: their table, which travels by value in the kernel's parameters,
// so that nothing is copied or kept; and how a call's groups are cut into such launches.
#pragma once

#include <cstdint>

#include "contract/backend.h"
#include "runtime/device.h"

namespace libsgemm::cuda {

// Column-major; no extent is 0.
struct GroupedProduct {
  const void *a, *b;
  float *c;
  int m, n, k, lda, ldb, ldc;
  float alpha, beta;
};

// Product i has the tiles of C from first[i] to first[i + 1] - 1 of the launch.
struct GroupedProducts {
  static constexpr bool large_parameters = true;  // more than the 4 KiB that every driver takes
  static constexpr int kMost = 512;
  GroupedProduct product[kMost];
  int first[kMost + 1];
  int count;
};

static_assert(sizeof(GroupedProducts) <= kLargeParameterBytes, "it is a kernel's parameter");

// The instance of a kernel that serves a product; the same for all products of a launch.
struct GroupedInstance {
  bool transa, transb, vectors;

  static GroupedInstance of(const GemmDesc &product);
  int index() const { return (transa ? 4 : 0) + (transb ? 2 : 0) + (vectors ? 1 : 0); }
  static constexpr int kCount = 8;
};

// A kernel that computes such tables, in tiles of C of tile_m x tile_n.
struct GroupedKernel {
  int tile_m, tile_n;
  libsgemm_status_t (*enqueue)(GroupedInstance instance, const GroupedProducts &products, const Launch &launch,
                               Error *error);
};

// Whether all numbers of a description fit the table. Of Batch::pointers the arrays are in host memory.
bool fits_grouped(const GemmDesc &desc, const GroupedKernel &kernel);

// GroupedLaunch::launch() of such a kernel: one launch for up to kMost products of an instance, the deepest first, so
// that what runs last is short.
libsgemm_status_t launch_grouped(const GroupedKernel &kernel, const GemmDesc *groups, int64_t count,
                                 const Launch &launch, Error *error);

}  // namespace libsgemm::cuda

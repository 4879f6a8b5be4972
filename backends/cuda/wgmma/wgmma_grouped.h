// Products of different sizes of 16-bit operands that one launch of the wgmma engine computes: their table, which
// travels by value in the kernel's parameters, so that nothing is copied or kept; and how a call's groups are cut into
// such launches.
#pragma once

#include "wgmma_launch.h"

namespace libsgemm::cuda {

// Entry i has the clusters' tiles from first[i] to first[i + 1] - 1 of the launch. It is one product, or several of one
// size that lie at strides.
struct WgmmaGroup {
  static constexpr bool large_parameters = true;  // more than the 4 KiB that every driver takes
  static constexpr int kMost = 65;
  // Arrays begin within the first 32 KiB of the constants: from there on nvcc 13.0 indexes at a negative offset.
  int count;
  int first[kMost + 1];
  WgmmaProblem problem[kMost];
  WgmmaMaps maps[kMost];
};

static_assert(sizeof(WgmmaGroup) <= kLargeParameterBytes, "it is a kernel's parameter");

// A kernel that computes such tables.
struct WgmmaGroupedKernel {
  int tile_x, tile_y, cluster_x, cluster_y;
  // Its instance for a product, in numbers; how it is launched.
  WgmmaInstance (*instance)(const GemmDesc &product, const WgmmaSides &sides);
  libsgemm_status_t (*enqueue)(const GemmDesc &product, const WgmmaSides &sides, const WgmmaGroup &group,
                               const Launch &launch, Error *error);
};

// Products that one launch can hold have the same; x and y change places for all of them.
struct WgmmaWays {
  static constexpr int kCount = 4;
  static int of(const GemmDesc &product) { return (along_k_a(product) ? 2 : 0) + (along_k_b(product) ? 1 : 0); }
};

// Clusters' tiles of a product.
inline int64_t wgmma_tiles(const GemmDesc &desc, const WgmmaGroupedKernel &kernel, bool swapped) {
  const WgmmaSides sides(desc, swapped);
  return ceil_div(sides.x(desc), kernel.cluster_x) * ceil_div(sides.y(desc), kernel.cluster_y);
}

// Whether all products of a description can be in the table: TMA can read them. Of Batch::pointers the arrays are in
// host memory.
bool fits_wgmma_group(const GemmDesc &desc, const WgmmaGroupedKernel &kernel, int index);

// GroupedLaunch::launch() of such a kernel: one launch for up to kMost entries of the same transpositions, the deepest
// first, so that what runs last is short.
libsgemm_status_t launch_wgmma_groups(const WgmmaGroupedKernel &kernel, const GemmDesc *groups, int64_t count,
                                      const Launch &launch, Error *error);

}  // namespace libsgemm::cuda

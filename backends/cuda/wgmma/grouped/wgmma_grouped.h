// 16-bit products of different sizes. One wgmma launch has products of the same transpositions, in a table of up to
// kMost entries. The table is a kernel parameter, so that nothing is copied or kept.
#pragma once

#include "cuda/wgmma/wgmma_launch.h"

namespace libsgemm::cuda {

// Entry i, one product or several of one size at constant strides, has tiles first[i] to first[i + 1] - 1.
struct WgmmaGroup {
  static constexpr bool large_parameters = true;  // above the 4 KiB that every driver accepts
  static constexpr int kMost = 65;
  // The assertion below keeps arrays in the first 32 KiB: nvcc 13.0 indexes those beyond at a negative offset.
  int count;
  int first[kMost + 1];
  WgmmaProblem problem[kMost];
  WgmmaMaps maps[kMost];
};

static_assert(sizeof(WgmmaGroup) <= kLargeParameterBytes, "it is a kernel's parameter");

struct WgmmaGroupedKernel {
  int tile_x, tile_y, cluster_x, cluster_y;
  WgmmaInstance (*instance)(const GemmDesc &product, const WgmmaSides &sides);
  libsgemm_status_t (*enqueue)(const GemmDesc &product, const WgmmaSides &sides, const WgmmaGroup &group,
                               const Launch &launch, Error *error);
};

// Numbers the transpositions of a product.
struct Transpositions {
  static constexpr int kCount = 4;
  static int of(const GemmDesc &product) { return (along_k_a(product) ? 2 : 0) + (along_k_b(product) ? 1 : 0); }
};

inline int64_t wgmma_tiles(const GemmDesc &desc, const WgmmaGroupedKernel &kernel, bool swapped) {
  const WgmmaSides sides(desc, swapped);
  return ceil_div(sides.x(desc), kernel.cluster_x) * ceil_div(sides.y(desc), kernel.cluster_y);
}

// True if TMA can read all products. For Batch::pointers the arrays must be in host memory.
bool fits_wgmma_group(const GemmDesc &desc, const WgmmaGroupedKernel &kernel, int index);

// Implements GroupedLaunch::launch(). A launch's deepest products come first, so that its last blocks are short.
libsgemm_status_t launch_wgmma_groups(const WgmmaGroupedKernel &kernel, const GemmDesc *groups, int64_t count,
                                      const Launch &launch, Error *error);

}  // namespace libsgemm::cuda

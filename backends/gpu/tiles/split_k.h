// Split-K: the number of slices for a product that has too few tiles for the device.
#pragma once

#include "gpu/cost.h"

namespace libsgemm::gpu {

// Limit for the partial results of a call, half of the default workspace: they should stay in the L2 cache.
constexpr size_t kMostSplitBytes = size_t{32} << 20;
constexpr int kMostSlices = 512;

// `slices` slices of k, of slice_tiles k-tiles each.
struct Split {
  int slices, slice_tiles;
  double seconds;  // time of product and sum
};

// Returns the fastest split into two slices or more; slices is 0 if there is none. `bytes`: what the product moves,
// gemm_bytes() unless its operands are not matrices.
Split best_split(const GemmDesc &desc, const Tiling &tiling, int tile_k, int index);
Split best_split(const GemmDesc &desc, double bytes, const Tiling &tiling, int tile_k, int index);

// Returns the bytes of workspace: slices * n * (m rounded up to a multiple of 4) * sum_bytes for each product.
size_t split_bytes(const GemmDesc &desc, int64_t slices, int sum_bytes);

}  // namespace libsgemm::gpu

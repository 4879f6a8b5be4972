// Split-K: the number of slices for a product that has too few tiles for the device.
#pragma once

#include "gpu/cost.h"

namespace libsgemm::gpu {

// Limit for the partial results, half of the default workspace: they should stay in the L2 cache.
constexpr size_t kMostSplitBytes = size_t{32} << 20;
constexpr int kMostSlices = 512;

// `slices` slices of k, of slice_tiles k-tiles each.
struct Split {
  int slices, slice_tiles;
  double seconds;  // time of product and sum
};

// Returns the fastest split into two slices or more; slices is 0 if there is none. `bytes`: bytes that the product
// moves, gemm_bytes() unless its operands are not matrices.
Split best_split(const GemmDesc &desc, const Tiling &tiling, int tile_k, int index);
Split best_split(const GemmDesc &desc, double bytes, const Tiling &tiling, int tile_k, int index);

// Returns the bytes of `slices` partial results for each product, with sums of `sum_bytes` bytes.
size_t split_bytes(const GemmDesc &desc, int64_t slices, int sum_bytes);

}  // namespace libsgemm::gpu

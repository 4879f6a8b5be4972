// Split k: into how many slices to cut a product that has too few tiles for the device.
#pragma once

#include "cost.h"

namespace libsgemm::gpu {

// Partial results of at most this size, half of the default workspace: they should stay in the L2 cache.
constexpr size_t kMostSplitBytes = size_t{32} << 20;
constexpr int kMostSlices = 512;

// Into how many slices of how many k-tiles.
struct Split {
  int slices, slice_tiles;
  double seconds;  // of product and sum
};

// The fastest split into two slices or more; slices is 0 if there is none. `bytes` that the product moves: gemm_bytes()
// unless its operands are no matrices.
Split best_split(const GemmDesc &desc, const Tiling &tiling, int tile_k, int index);
Split best_split(const GemmDesc &desc, double bytes, const Tiling &tiling, int tile_k, int index);

// Bytes of `slices` partial results for each product, of sums of `sum_bytes`.
size_t split_bytes(const GemmDesc &desc, int64_t slices, int sum_bytes);

}  // namespace libsgemm::gpu

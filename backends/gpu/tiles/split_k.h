#pragma once

#include "gpu/cost.h"

namespace libsgemm::gpu {

// Half of the default workspace, so that partial results stay in L2.
constexpr size_t kMostSplitBytes = size_t{32} << 20;
constexpr int kMostSlices = 512;

struct Split {
  int slices, slice_tiles;
  double seconds;  // product and sum
};

// slices is 0 if no split is faster. `bytes`: what the product moves.
Split best_split(const GemmDesc &desc, const Tiling &tiling, int tile_k, int index);
Split best_split(const GemmDesc &desc, double bytes, const Tiling &tiling, int tile_k, int index);

// slices * n * (m rounded up to a multiple of 4) * sum_bytes for each product.
size_t split_bytes(const GemmDesc &desc, int64_t slices, int sum_bytes);

}  // namespace libsgemm::gpu

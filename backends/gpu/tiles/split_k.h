#pragma once

#include "contract/backend.h"
#include "gpu/cost.h"

namespace libsgemm::gpu {

// Half of the default workspace, so that partial results stay in L2.
constexpr size_t kMostSplitBytes = size_t{32} << 20;
constexpr int kMostSlices = 512;

// The product and the sum of its slices, at least two; infinite seconds: there are no such slices. `bytes`: what the
// product moves.
Plan best_split(const GemmDesc &desc, const Tiling &tiling, int tile_k, int index);
Plan best_split(const GemmDesc &desc, double bytes, const Tiling &tiling, int tile_k, int index);

// slices * n * (m rounded up to a multiple of 4) * sum_bytes for each product.
size_t split_bytes(const GemmDesc &desc, int64_t slices, int sum_bytes);

}  // namespace libsgemm::gpu

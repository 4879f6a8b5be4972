#include "split_k.h"

#include <algorithm>
#include <cmath>

#include "contract/finish.h"

namespace libsgemm::gpu {
namespace {

constexpr double kPartialBandwidth = 1.5;  // relative to memory: partial results mostly stay in L2

double split_seconds(const DeviceModel &d, const GemmDesc &desc, double bytes, const Tiling &tiling, double tiles,
                     double k, int slices) {
  const double partial = static_cast<double>(split_bytes(desc, slices, tiling.sum_bytes));
  const double product = std::max(tiles_seconds(d, tiling, tiles * slices, k), memory_seconds(d, bytes));
  return 2 * kLaunchSeconds + product + 2 * memory_seconds(d, partial) / kPartialBandwidth;
}

}  // namespace

size_t split_bytes(const GemmDesc &desc, int64_t slices, int sum_bytes) {
  const double bytes = std::ceil(static_cast<double>(desc.m) / 4) * 4 * sum_bytes * static_cast<double>(desc.n) *
                       static_cast<double>(desc.batch_count) * static_cast<double>(slices);
  return bytes < 1e18 ? static_cast<size_t>(bytes) : SIZE_MAX;
}

Plan best_split(const GemmDesc &desc, const Tiling &tiling, int tile_k, int index) {
  return best_split(desc, gemm_bytes(desc), tiling, tile_k, index);
}

Plan best_split(const GemmDesc &desc, double bytes, const Tiling &tiling, int tile_k, int index) {
  const DeviceModel &d = model(index);
  const double tiles = product_tiles(desc, tiling) * static_cast<double>(desc.batch_count);
  const int k_tiles = static_cast<int>((desc.k - 1) / tile_k + 1) * traits_of(desc).terms();
  Plan best;
  const auto try_slices = [&](int slice_tiles) {
    const int slices = (k_tiles - 1) / slice_tiles + 1;
    const size_t workspace = split_bytes(desc, slices, tiling.sum_bytes);
    if (slices < 2 || workspace > kMostSplitBytes) return;
    const double seconds =
        split_seconds(d, desc, bytes, tiling, tiles, static_cast<double>(slice_tiles) * tile_k, slices);
    if (seconds < best.seconds) best = planned(seconds, workspace, {slices, slice_tiles, 0, 0, false});
  };
  if (invariant(desc)) {
    // A slice is a chain, and a second product starts with a slice.
    if (traits_of(desc).terms() == 1 || desc.k % kChainTerms == 0) try_slices(static_cast<int>(kChainTerms / tile_k));
    return best;
  }
  // Tries 1, 2, ... blocks on each compute unit.
  for (int blocks = 1; blocks <= 2 * tiling.blocks; ++blocks) {
    const double fitting = std::floor(blocks * d.compute_units / tiles);
    const int wanted = static_cast<int>(std::min<double>({fitting, kMostSlices, static_cast<double>(k_tiles)}));
    if (wanted >= 2) try_slices((k_tiles - 1) / wanted + 1);
  }
  return best;
}

}  // namespace libsgemm::gpu

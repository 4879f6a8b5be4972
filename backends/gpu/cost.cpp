#include "cost.h"

#include <algorithm>
#include <cmath>

namespace libsgemm::gpu {
namespace {

// Share of its peak that a compute unit reaches: hiding what is not arithmetic takes several waves of a scheduler.
double occupancy_factor(const DeviceModel &device, double threads, double stall) {
  const double per_scheduler = threads / device.wave / device.schedulers;
  return per_scheduler / (per_scheduler + stall);
}

// Share of the shorter of arithmetic and memory traffic.
constexpr double kNotOverlapped = 0.3;

}  // namespace

double fma_peak(const DeviceModel &device) { return 2.0 * device.compute_units * device.fma_per_clock * device.clock; }

double memory_seconds(const DeviceModel &device, double bytes) {
  return bytes / (kReachableBandwidth * device.memory_bandwidth);
}

double overlapped(double arithmetic, double memory) {
  return std::max(arithmetic, memory) + kNotOverlapped * std::min(arithmetic, memory);
}

double gemm_bytes(const GemmDesc &desc) {
  const double m = static_cast<double>(desc.m), n = static_cast<double>(desc.n), k = static_cast<double>(desc.k);
  const RoutineTraits &r = traits_of(desc);
  const double inputs = (m * k + (r.has_b() ? k * n : 0)) * static_cast<double>(size_of(desc.type));
  const double elements = r.triangle_of_c ? m * (n + 1) / 2 : m * n;
  const double outputs = elements * sizeof(float) * (desc.beta != 0.0f ? 2 : 1);
  return (inputs + outputs) * static_cast<double>(desc.batch_count);
}

double tile_count(double m, double n, const Tiling &tiling) {
  return std::ceil(m / tiling.tile_m) * std::ceil(n / tiling.tile_n);
}

double product_tiles(const GemmDesc &desc, const Tiling &tiling) {
  const double m = static_cast<double>(desc.m), n = static_cast<double>(desc.n);
  if (!traits_of(desc).triangle_of_c) return tile_count(m, n, tiling);
  const double order = std::ceil(n / tiling.tile_n);
  return order * (order + 1) / 2;
}

double product_depth(const GemmDesc &desc) { return static_cast<double>(desc.k) * traits_of(desc).terms(); }

double tiles_seconds(const DeviceModel &device, const Tiling &tiling, double tiles, double k) {
  const double threads = tiling.threads;
  const Figures &f = tiling.figures;
  const double all_blocks = occupancy_factor(device, threads * tiling.blocks, f.stall);
  const double depth = std::ceil(k / tiling.depth) * tiling.depth;
  const double tile_seconds =
      2.0 * tiling.tile_m * tiling.tile_n * (depth + f.steps) * device.compute_units / fma_peak(device);
  const double wave = static_cast<double>(device.compute_units) * tiling.blocks;
  const double waves = std::floor(tiles / wave);
  double seconds = waves * tiling.blocks * tile_seconds / f.peak_fraction;
  // Blocks on the busiest compute unit in the last wave.
  const double blocks = std::ceil((tiles - waves * wave) / device.compute_units);
  if (blocks > 0) {
    const double fraction = f.peak_fraction * occupancy_factor(device, threads * blocks, f.stall) / all_blocks;
    seconds += blocks * tile_seconds / fraction;
  }
  return seconds + f.latency;
}

double gemm_seconds(const DeviceModel &device, const GemmDesc &desc, const Tiling &tiling) {
  const double tiles = product_tiles(desc, tiling) * static_cast<double>(desc.batch_count);
  const double seconds = tiles_seconds(device, tiling, tiles, product_depth(desc));
  return kLaunchSeconds + overlapped(seconds, memory_seconds(device, gemm_bytes(desc)));
}

}  // namespace libsgemm::gpu

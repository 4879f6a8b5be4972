// Predicted time of a kernel, from a device's data sheet and the share of its peak that the kernel reaches.
#pragma once

#include <cstdint>

#include "contract/desc.h"
#include "device_model.h"

namespace libsgemm::gpu {

constexpr double kLaunchSeconds = 3e-6;      // one kernel on an idle H100, until it ends
constexpr double kReachableBandwidth = 0.8;  // share of the data sheet's
constexpr double kForcedOnly = 1e6;          // keeps kernels for study from being chosen

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

double fma_peak(const DeviceModel &device);

double memory_seconds(const DeviceModel &device, double bytes);

double overlapped(double arithmetic, double memory);

// Operands move once.
double gemm_bytes(const GemmDesc &desc);

// k that takes as long as a tile's start and end; fitted to k = 64 and 256 on an H100.
constexpr double kTileSteps = 16;

// Time before the first multiplication and after the last one.
constexpr double kTileLatency = 1.5e-6;

struct Figures {
  double peak_fraction;  // share of fma_peak(), with all blocks resident and large k; above 1 on tensor cores
  double stall = 0.05;   // stalls of a scheduler with one wave, relative to its work
  double steps = kTileSteps;
  double latency = kTileLatency;
};

struct Tiling {
  int tile_m, tile_n;
  int threads, blocks;  // threads of a block; resident blocks of a compute unit
  Figures figures;
  int depth = 1;      // k that is multiplied at once
  int sum_bytes = 4;  // a partial sum with split-K
};

double tile_count(double m, double n, const Tiling &tiling);

// A triangle takes the square tiles that overlap it.
double product_tiles(const GemmDesc &desc, const Tiling &tiling);
double product_depth(const GemmDesc &desc);

// Arithmetic only; in the last wave compute units hold fewer blocks, with a smaller share of the peak, or none.
double tiles_seconds(const DeviceModel &device, const Tiling &tiling, double tiles, double k);

// Launch, and tiles_seconds() over the batch overlapped with memory_seconds().
double gemm_seconds(const DeviceModel &device, const GemmDesc &desc, const Tiling &tiling);

}  // namespace libsgemm::gpu

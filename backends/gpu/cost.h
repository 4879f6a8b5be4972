// Shared parts of the kernels' cost models: predicted time, from a device's data sheet and the share of its peak that a
// kernel reaches.
#pragma once

#include <cstdint>

#include "contract/desc.h"
#include "device_model.h"

namespace libsgemm::gpu {

constexpr double kLaunchSeconds = 3e-6;      // one kernel on an idle H100, until it ends
constexpr double kReachableBandwidth = 0.8;  // share of the data sheet's bandwidth
constexpr double kForcedOnly = 1e6;          // added to the cost of kernels that exist for study and run only if forced

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

double fma_peak(const DeviceModel &device);

// Returns the time to move `bytes` to and from memory.
double memory_seconds(const DeviceModel &device, double bytes);

// Time of arithmetic and memory traffic, which mostly overlap.
double overlapped(double arithmetic, double memory);

// Bytes of a gemm, or of a routine that writes a triangle, if each operand moves once.
double gemm_bytes(const GemmDesc &desc);

// k that takes as long as the start and end of a tile, which are not hidden. Fitted to k = 64 and 256 on an H100.
constexpr double kTileSteps = 16;

// Seconds from the first load to the first multiplication, and from the last one to the stored tile.
constexpr double kTileLatency = 1.5e-6;

// Model parameters of a kernel, as measured.
struct Figures {
  double peak_fraction;  // share of fma_peak(), with all blocks resident and large k; above 1 on tensor cores
  double stall = 0.05;   // stalls of a scheduler with one wave, relative to its work; more without asynchronous copies
  double steps = kTileSteps;
  double latency = kTileLatency;
};

// How a kernel cuts C.
struct Tiling {
  int tile_m, tile_n;
  int threads, blocks;  // threads of a block; resident blocks of a compute unit
  Figures figures;
  int depth = 1;      // k that is multiplied at once
  int sum_bytes = 4;  // bytes of a partial sum with split-K
};

double tile_count(double m, double n, const Tiling &tiling);

// Tiles of C, of one product; if only a triangle is written, those that overlap it, which are square.
double product_tiles(const GemmDesc &desc, const Tiling &tiling);
// Depth of each of these tiles.
double product_depth(const GemmDesc &desc);

// Time of the arithmetic of `tiles` tiles of depth k: full waves of blocks, and a last one in which compute units hold
// fewer blocks, or none. A compute unit with fewer blocks reaches a smaller share of its peak.
double tiles_seconds(const DeviceModel &device, const Tiling &tiling, double tiles, double k);

// Time of a gemm, or of one triangle of it: the launch, and tiles_seconds() over the batch overlapped with
// memory_seconds().
double gemm_seconds(const DeviceModel &device, const GemmDesc &desc, const Tiling &tiling);

}  // namespace libsgemm::gpu

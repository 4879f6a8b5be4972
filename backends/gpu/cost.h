// Shared parts of the rows' cost models: how long a device takes, from its data sheet and what a kernel reaches of it.
#pragma once

#include <cstdint>

#include "contract/desc.h"
#include "device_model.h"

namespace libsgemm::gpu {

constexpr double kLaunchSeconds = 3e-6;      // of one kernel, until it ends on an idle device: of an H100
constexpr double kReachableBandwidth = 0.8;  // of the data sheet's
constexpr double kForcedOnly = 1e6;          // added to the cost of rows that exist for study: they run by force

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Peak of fused multiply-adds, flop/s.
double fma_peak(const DeviceModel &device);

// Time to move `bytes` to and from memory.
double memory_seconds(const DeviceModel &device, double bytes);

// Time of arithmetic and memory traffic that mostly hide behind one another.
double overlapped(double arithmetic, double memory);

// Bytes of a gemm, or of a routine that writes a triangle, when each operand moves once.
double gemm_bytes(const GemmDesc &desc);

// Steps of k that would take as long as a tile's start and end, which are not hidden: fitted to k = 64 and 256 on an
// H100.
constexpr double kTileSteps = 16;

// From the first load to the first multiplication, and from the last one to the stored tile.
constexpr double kTileLatency = 1.5e-6;

// How fast a kernel is, which measurements say.
struct Figures {
  double peak_fraction;  // of fma_peak(), with all its blocks resident and k endless; on tensor cores more than 1
  double stall = 0.05;   // of a scheduler with one wave, to its work: more without asynchronous copies
  double steps = kTileSteps;
  double latency = kTileLatency;
};

// How a kernel cuts C.
struct Tiling {
  int tile_m, tile_n;
  int threads, blocks;  // of one block; resident blocks of a compute unit
  Figures figures;
  int depth = 1;      // steps of k that are multiplied at once
  int sum_bytes = 4;  // of a partial sum, where k is split
};

// Number of tiles of a matrix.
double tile_count(double m, double n, const Tiling &tiling);

// The same of a description's C, of one product: of a triangle those that meet it, which are square. And the steps of k
// that each of them takes.
double product_tiles(const GemmDesc &desc, const Tiling &tiling);
double product_depth(const GemmDesc &desc);

// Time of the arithmetic of `tiles` tiles of depth k: whole waves, and a last one in which compute units hold fewer
// blocks, or none. A compute unit with few waves reaches less of its peak.
double tiles_seconds(const DeviceModel &device, const Tiling &tiling, double tiles, double k);

// A whole gemm, or the triangle of one, tiles_seconds() over the batch or memory_seconds(), whichever is longer, with
// its launch.
double gemm_seconds(const DeviceModel &device, const GemmDesc &desc, const Tiling &tiling);

}  // namespace libsgemm::gpu

// The medium product of sm_90, between host and device: its sizes and what a launch computes.
#pragma once

#include <cstdint>

#include "stream_k.h"

namespace libsgemm::cuda {

// The 128x128 tile of C: two groups of four warps of 64 x 64 each, threads of 16 x 8.
struct HalvesShape {
  static constexpr int tile = 128, tile_k = 16;
  static constexpr int box_steps = tile_k / 2;  // of k in a box of rows along k
  static constexpr int groups = 2, stages = 6;  // stages of each group
  static constexpr uint32_t operand_bytes = 4 * tile * tile_k, stage_bytes = 2 * operand_bytes;
  static constexpr uint32_t ring_bytes = stages * stage_bytes, shared_bytes = groups * ring_bytes;
  // The ring of columns to be turned: 128 of 20 floats, of which 16 are used.
  static constexpr int turn_stages = 3, turn_steps = StreamKShape::column_bytes / 4;
  static constexpr uint32_t turn_ring = shared_bytes, turn_stage_bytes = 4 * tile * turn_steps,
                            turn_shared_bytes = turn_ring + turn_stages * turn_stage_bytes;
  static constexpr int multipliers = StreamKShape::multipliers, threads = StreamKShape::threads;
#if !defined(LIBSGEMM_STEERING_SLOTS)
  static constexpr int multiplier_registers = 216;
#else
  static constexpr int multiplier_registers = 192;  // leaves room for what steer_registers.py adds
#endif
  static constexpr int along_k_registers = 208;
  static constexpr int supplier_registers = 40, turner_registers = 56;
  // Afterwards: what the groups give each other, then the tile.
  static constexpr uint32_t exchange_bytes = 2 * tile * tile;  // of each group
  static constexpr uint32_t tile_offset = groups * exchange_bytes;
};

struct HalvesProblem {
  int64_t m, n, ldc;  // of C
  float alpha, beta;
  float *c;
  bool vectors;  // columns of C start at multiples of 16 bytes
  int tiles_m, tiles_n, k_tiles;
  int slices;  // of each tile: the blocks of a cluster
};

}  // namespace libsgemm::cuda

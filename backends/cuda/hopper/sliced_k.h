// The sliced-K product of sm_90 (sliced_k.cuh). Host and device.
#pragma once

#include <cstdint>

#include "stream_k.h"

namespace libsgemm::cuda {

// A tile of 16384 elements of C; a thread has 16 x 8. `rows` are those of the kernel's A, which, swapped, is the
// caller's op(B)^T. `lane_rows`: lanes of a warp along the rows.
template <int kRows, int kColumns, int kLaneRows, int kStages>
struct SlicedKShape {
  static constexpr int rows = kRows, columns = kColumns, tile_k = 16;
  static constexpr int lane_rows = kLaneRows, lane_columns = 32 / kLaneRows;
  static constexpr int warp_rows = 16 * lane_rows, warp_columns = 8 * lane_columns;
  static constexpr int box_rows = kRows < 256 ? kRows : 256;  // TMA's limit
  static constexpr int box_steps = tile_k / 2;                // k of a box of K-major rows
  static constexpr int groups = 2, stages = kStages;          // groups of warps, stages of each
  static constexpr uint32_t row_bytes = 4 * rows * tile_k, column_bytes = 4 * columns * tile_k,
                            stage_bytes = row_bytes + column_bytes;
  static constexpr uint32_t ring_bytes = stages * stage_bytes, shared_bytes = groups * ring_bytes;
  // Transpose ring: columns of 20 floats, 16 of them used.
  static constexpr int transpose_stages = 3, transpose_steps = StreamKShape::column_bytes / 4;
  static constexpr uint32_t transpose_ring = shared_bytes, transpose_stage_bytes = 4 * columns * transpose_steps,
                            transpose_shared_bytes = transpose_ring + transpose_stages * transpose_stage_bytes;
  static constexpr int multipliers = StreamKShape::multipliers, threads = StreamKShape::threads;
#if !defined(LIBSGEMM_REASSIGN_SLOTS)
  static constexpr int multiplier_registers = 216, transposer_registers = 64;
#else
  static constexpr int multiplier_registers = 192, transposer_registers = 56;  // reassign_registers.py uses more
#endif
  static constexpr int along_k_registers = 208, supplier_registers = 40;
  // Epilogue: the sums that the groups exchange, then the tile.
  static constexpr uint32_t exchange_bytes = 2 * rows * columns;  // bytes of each group
  static constexpr uint32_t tile_offset = groups * exchange_bytes;
  static_assert(rows * columns == 4 * warp_rows * warp_columns, "four warps");
};

using SquareSlicedK = SlicedKShape<128, 128, 4, 6>;
using ThinSlicedK = SlicedKShape<256, 64, 4, 5>;
using ThinnerSlicedK = SlicedKShape<512, 32, 8, 3>;

struct SlicedKProblem {
  int64_t m, n, ldc;
  float alpha, beta;
  float *c;
  bool vectors;  // columns of C start at multiples of 16 bytes
  int tiles_m, tiles_n, k_tiles;
  int slices;  // slices of k, the blocks of a cluster
};

}  // namespace libsgemm::cuda

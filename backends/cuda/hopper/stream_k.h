// The stream-K product of sm_90 (stream_k.cuh). Host and device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "runtime/tensor_map.h"

namespace libsgemm::cuda {

// Tile of C: eight warps of 64 x 64, threads of 16 x 8.
struct StreamKShape {
  static constexpr int tile_m = 256, tile_n = 128, tile_k = 16;
  static constexpr int box_width = 128, boxes_m = 2, boxes_n = 1;  // boxes of box_width x 16
  static constexpr int stages = 5, second_stages = 3;
  static constexpr int reach = 3;  // rows of B before a k-tile, for an unaligned K-major A
  static constexpr uint32_t row_bytes = 128 * 4, box_bytes = 16 * row_bytes,
                            stage_bytes = (boxes_m + boxes_n) * box_bytes + reach * row_bytes;
  // Second ring: columns of 20 floats (16, and space for the shift) of operands to be transposed, boxes of 4 rows of
  // 132 floats of unaligned ones.
  static constexpr uint32_t column_bytes = 20 * 4, long_row_bytes = 132 * 4, unaligned_box_bytes = 17 * 128;
  static constexpr uint32_t second_a_bytes = tile_m * column_bytes;
  static constexpr uint32_t second_stage_bytes = (tile_m + tile_n) * column_bytes;
  static constexpr uint32_t second_ring = stages * stage_bytes;
  static constexpr uint32_t shared_bytes = second_ring + second_stages * second_stage_bytes;
  static constexpr int multipliers = 256, threads = 384;  // threads that multiply, all threads
  static constexpr int suppliers = 4;                     // warps
#if !defined(LIBSGEMM_REASSIGN_SLOTS)
  static constexpr int multiplier_registers = 208;
#else
  static constexpr int multiplier_registers = 192;  // reassign_registers.py uses more
#endif
  static constexpr int along_k_registers = 224;
  static constexpr int supplier_registers = 56;
  static constexpr int vectors = tile_m * tile_n / 4 / multipliers;  // vectors of 4 accumulators of a thread
};

enum class Sharing {
  stream,  // a block takes an equal share of the first tiles, which are cut along k, then whole tiles
  split_k  // a block takes a slice of k of one tile; stream_k_sum() adds the slices
};

// Route of an operand to the first ring, from which it is multiplied. TMA requires columns that start at multiples of
// 16 bytes. An unaligned matrix is copied as four views: column j of view v is column 4 j + v, `shift[v]` rows down.
enum class Route : int32_t {
  direct,  // MN-major, by TMA
  // K-major A, by TMA, swizzled. If unaligned, a pair of warps multiplies each view, and reads B earlier by `shift`.
  along_k,
  transposed,            // K-major, transposed from the second ring to the first
  transposed_unaligned,  // the same from four views
  unaligned              // MN-major, from four views
};

struct StreamKOperand {
  TensorMap views[4];
  int32_t shift[4];
  Route route;
  int32_t view_count;
  uint32_t bytes;  // bytes of a k-tile
};

struct StreamKOperands {
  StreamKOperand a, b;
};

// Swapped, the kernel's A is the caller's op(B)^T.
struct StreamKProblem {
  int64_t m, n, ldc;
  float alpha, beta;
  float *c;
  bool vectors;  // 4 neighbours of a column of C can be stored at once
  int spread;    // 4 if a warp has every fourth row, those of a view, otherwise 1
  int tiles_m, tiles_n, k_tiles;
  unsigned k_tiles_inverse;  // (2^32 - 1) / k_tiles
  int slices;                // split_k: slices of a tile
  int stream_tiles;          // stream: number of tiles that are cut along k
  int share;                 // a block's k-tiles of these; the first `longer_shares` blocks have one more
  int longer_shares;
  float *partial;      // a partial tile for each block
  unsigned *finished;  // a flag for each block, set once its partial tile is written
};

}  // namespace libsgemm::cuda

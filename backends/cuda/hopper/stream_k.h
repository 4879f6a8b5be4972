// The persistent product of sm_90, between host and device: its sizes, what a launch computes and how its blocks share
// the work.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "runtime/tensor_map.h"

namespace libsgemm::cuda {

// The 256x128 tile of C: eight warps of 64 x 64, threads of 16 x 8.
struct StreamKShape {
  static constexpr int tile_m = 256, tile_n = 128, tile_k = 16;
  static constexpr int box_width = 128, boxes_m = 2, boxes_n = 1;  // boxes of box_width x 16
  static constexpr int stages = 5, second_stages = 3;
  static constexpr int reach = 3;  // steps of k of B before those of the stage, for A along k and unaligned
  static constexpr uint32_t row_bytes = 128 * 4, box_bytes = 16 * row_bytes,
                            stage_bytes = (boxes_m + boxes_n) * box_bytes + reach * row_bytes;
  // In the second ring. Transposed: columns of 20 floats, 16 and room for the shift. Unaligned: boxes of 4 rows of 132
  // floats.
  static constexpr uint32_t column_bytes = 20 * 4, long_row_bytes = 132 * 4, unaligned_box_bytes = 17 * 128;
  static constexpr uint32_t second_a_bytes = tile_m * column_bytes;
  static constexpr uint32_t second_stage_bytes = (tile_m + tile_n) * column_bytes;
  static constexpr uint32_t second_ring = stages * stage_bytes;
  static constexpr uint32_t shared_bytes = second_ring + second_stages * second_stage_bytes;
  static constexpr int multipliers = 256, threads = 384;  // threads that multiply; with those that copy
  static constexpr int suppliers = 4;                     // warps that copy
#if !defined(LIBSGEMM_REASSIGN_SLOTS)
  static constexpr int multiplier_registers = 208;
#else
  static constexpr int multiplier_registers = 192;  // leaves room for what reassign_registers.py adds
#endif
  static constexpr int along_k_registers = 224;
  static constexpr int supplier_registers = 56;
  static constexpr int vectors = tile_m * tile_n / 4 / multipliers;  // of 4 sums of a thread
};

// How the blocks share the work.
enum class Sharing {
  stream,  // tiles in turn; some of them are cut along k where the blocks' equal shares end
  split_k  // the blocks take slices of k of one tile and leave them to stream_k_sum()
};

// How an operand comes to where it is multiplied. TMA wants columns that start at multiples of 16 bytes. Any other
// matrix is seen as four views, each of every fourth column, and starts are rounded down: column 4 j + v of the matrix
// is column j of view v, `shift[v]` rows further down.
enum class Route : int32_t {
  direct,  // its columns run along m or n: by TMA alone
  // Its columns run along k: by TMA alone, too, swizzled, and the kernel reads four steps of k at a time (A only). If
  // it is unaligned, each of its four views is multiplied by a pair of warps, which reads B `shift` steps earlier.
  along_k,
  transposed,            // its columns run along k: transposed on the way
  transposed_unaligned,  // the same, as four views
  unaligned              // its columns run along m or n, as four views
};

struct StreamKOperand {
  TensorMap views[4];
  int32_t shift[4];
  Route route;
  int32_t view_count;
  uint32_t bytes;  // that TMA brings for one k-tile
};

struct StreamKOperands {
  StreamKOperand a, b;
};

// Besides its operands. The tile's rows are those of the kernel's A, which, swapped, is the caller's op(B)^T: then the
// tile is one of C^T.
struct StreamKProblem {
  int64_t m, n, ldc;  // of C
  float alpha, beta;
  float *c;
  bool vectors;  // store 4 neighbours along a column of C at once
  int spread;    // A along k: 4 if a warp has every fourth row of the tile, as a view of A does, otherwise 1
  int tiles_m, tiles_n, k_tiles;
  unsigned k_tiles_inverse;  // (2^32 - 1) / k_tiles
  int slices;                // split_k: of each tile
  int stream_tiles;  // stream: the first tiles are cut along k into shares for all blocks; the others stay whole
  int share;         // stream: k-tiles of a block, of which the first `longer_shares` blocks have one more
  int longer_shares;
  float *partial;      // stream, split_k: one tile for each block
  unsigned *finished;  // stream: one for each block, 0; not 0 once its partial tile is written
};

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C, on any GPU, where C has few tiles and k is deep: blocks share the k of a tile.
//
// Each slice of a tile's k-tiles has a block of its own, which accumulates it into the workspace. split_k_sum() then
// adds the slices in their order and applies alpha and beta. The number of slices depends on the cost model (split_k.h)
// and the shape alone, so results are bitwise the same run after run.
//
// Source: slicing k is folklore; the partial wave that it fills is discussed in Osama et al., "Stream-K" (PPoPP 2023).
//
//   tile of C: 64 x 64            warp: 32 x 32 = 4 x 8 lanes      thread: 8 x 4
//   +--------+--------+           first row 4 r, column 4 c        2 groups of 4 rows, 16 apart
//   | warp 0 | warp 2 |           r = lane / 2 % 4                 4 columns
//   +--------+--------+           c = 2 (lane / 8) + lane % 2
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: buffer b of 2 at 4096 b: A at 0 (8 rows of 64 floats), B at 2048 (the same). Rows of an operand
// that is contiguous along k are 68 floats long; a buffer then has up to 4352.
//
// Requires: gemm of FP32; one product or a strided batch; more than one slice by the cost model; a workspace of
// 4 * slices * n * (m rounded up to a multiple of 4) bytes a product, at most 32 MiB; any transposition, alignment and
// size.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; thread_m, thread_n of a thread; lane_rows of a warp;
// warp_rows of a block; blocks, which with the threads bounds the registers; peak_fraction for the cost.
//
// Measured: its results on an H100, by the tests; its speed on an H200, for figures/sm90.h.
#include "cuda/tiles/double_buffered.cuh"
#include "cuda/tiles/tile_row.h"
#include "gpu/kernels.h"
#include "gpu/tiles/split_k_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<64, 64, 8, 8, 4, 4, 2> {
  static constexpr int min_arch = 75;
  static constexpr int blocks = 4;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.5;
  static constexpr Fitted fitted = Fitted::sm75_ffma_64x64x8_split_k;
};

}  // namespace

LIBSGEMM_DOUBLE_BUFFERED_ROW(sm75_ffma_64x64x8_split_k, split_k_kernel, Config::blocks)

}  // namespace libsgemm::cuda

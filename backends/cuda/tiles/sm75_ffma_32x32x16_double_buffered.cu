// C = alpha op(A) op(B) + beta C, on any GPU, for small matrices, alone or in batches.
//
// Source: Nath, Tomov, Dongarra, "An Improved MAGMA GEMM for Fermi GPUs" (2010); Tan et al., "Fast Implementation of
// DGEMM on Fermi GPU" (SC 2011), for the double buffering; the loop is described in double_buffered.cuh.
//
//   tile of C: 32 x 32      warp: 32 x 16 = 8 x 4 lanes      thread: 4 x 4
//   +--------+--------+     first row 4 r, column 4 c
//   | warp 0 | warp 1 |     r = 2 (lane / 8) + lane % 2
//   +--------+--------+     c = lane / 2 % 4
//
// Shared memory, bytes: buffer b of 2 at 4096 b: A at 0 (16 rows of 32 floats), B at 2048 (the same). Rows of an
// operand that is contiguous along k are 36 floats long; a buffer then has up to 4608.
//
// Requires: gemm of FP32; any transposition, alignment, size and batch.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; thread_m, thread_n of a thread; lane_rows of a warp;
// warp_rows of a block; blocks, which with the threads bounds the registers; peak_fraction for the cost.
//
// Measured: its results on an H100, by the tests; its speed on an H200, for figures/sm90.h.
#include "double_buffered.cuh"
#include "gpu/kernels.h"
#include "tile_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<32, 32, 16, 4, 4, 8, 1> {
  static constexpr int min_arch = 75;
  static constexpr int blocks = 8;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.25;
  static constexpr Fitted fitted = Fitted::sm75_ffma_32x32x16_double_buffered;
};

}  // namespace

LIBSGEMM_DOUBLE_BUFFERED_ROW(sm75_ffma_32x32x16_double_buffered, chain_kernel, Config::blocks)

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C, on any GPU, for matrices of a few hundred rows and columns.
//
// Source: Nath, Tomov, Dongarra, "An Improved MAGMA GEMM for Fermi GPUs" (2010); Tan et al., "Fast Implementation of
// DGEMM on Fermi GPU" (SC 2011), for the double buffering; the loop is described in double_buffered.cuh.
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
// Requires: gemm of FP32; any transposition, alignment, size and batch.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; thread_m, thread_n of a thread; lane_rows of a warp;
// warp_rows of a block; blocks, which with the threads bounds the registers; peak_fraction for the cost.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 65536 x 64 x 64 NN, NT, TN, TT 25, 25, 23, 23; cuBLAS 13.1 26,
// 27, 22, 22.
#include "double_buffered.cuh"
#include "gpu/kernels.h"
#include "tile_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<64, 64, 8, 8, 4, 4, 2> {
  static constexpr int min_arch = 75;
  static constexpr int blocks = 4;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.60;
  static constexpr Fitted fitted = Fitted::sm75_ffma_64x64x8_double_buffered;
};

}  // namespace

LIBSGEMM_DOUBLE_BUFFERED_ROW(sm75_ffma_64x64x8_double_buffered, chain_kernel, Config::blocks)

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C, on any GPU: two alternating buffers of shared memory.
//
// Adds to the previous step (sm75_ffma_128x128x8_vectorised): the next k-tile is loaded into registers while this one
// is multiplied, and stored to a second buffer when it has arrived. So one barrier a k-tile is enough, and no thread
// waits for memory. The fragments of the next step of k are read while this step multiplies.
//
// Source: Nath, Tomov, Dongarra, "An Improved MAGMA GEMM for Fermi GPUs" (2010); Tan et al., "Fast Implementation of
// DGEMM on Fermi GPU" (SC 2011), for the double buffering; the loop is described in double_buffered.cuh.
//
//   tile of C: 128 x 128                      warp: 64 x 32 = 8 x 4 lanes     thread: 8 x 8
//   +--------+--------+--------+--------+     first row 4 r, column 4 c       2 groups of 4 rows, 32 apart
//   | warp 0 | warp 2 | warp 4 | warp 6 |     r = 2 (lane / 8) + lane % 2     2 groups of 4 columns, 16 apart
//   +--------+--------+--------+--------+     c = lane / 2 % 4
//   | warp 1 | warp 3 | warp 5 | warp 7 |
//   +--------+--------+--------+--------+
//
// Shared memory, bytes: buffer b of 2 at 8192 b: A at 0 (8 rows of 128 floats), B at 4096 (the same). Rows of an
// operand that is contiguous along k are 132 floats long; a buffer then has up to 8448. Storing C: 17408 in all.
//
// Requires: gemm of FP32; any transposition, alignment, size and batch.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; thread_m, thread_n of a thread; lane_rows of a warp;
// warp_rows of a block; blocks, which with the threads bounds the registers; peak_fraction for the cost.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 4096 x 4096 x 4096 NT 49.5; cuBLAS 13.1 (FP32, the same run)
// 52.2.
#include "double_buffered.cuh"
#include "gpu/kernels.h"
#include "tile_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<128, 128, 8, 8, 8, 8, 2> {
  static constexpr int min_arch = 75;
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.62;
  static constexpr Fitted fitted = Fitted::sm75_ffma_128x128x8_double_buffered;
};

}  // namespace

LIBSGEMM_DOUBLE_BUFFERED_ROW(sm75_ffma_128x128x8_double_buffered, chain_kernel, resident_blocks(Config::blocks))

}  // namespace libsgemm::cuda

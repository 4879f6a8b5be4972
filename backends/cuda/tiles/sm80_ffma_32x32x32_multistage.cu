// C = alpha op(A) op(B) + beta C, on any GPU from sm_80, for small matrices, alone or in batches.
//
// Source: NVIDIA, CUDA C++ Programming Guide (asynchronous copies); the loop is described in multistage.cuh.
//
//   tile of C: 32 x 32            warp: 16 x 16 = 4 x 8 lanes      thread: 4 x 2
//   +--------+--------+           first row 4 r, column 2 c        4 rows
//   | warp 0 | warp 2 |           r = lane / 2 % 4                 2 columns
//   +--------+--------+           c = 2 (lane / 8) + lane % 2
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// The time of one tile matters most: a step of k takes 2 loads and 8 FFMA, and k-tiles of 32 halve the barriers.
//
// Shared memory, bytes: stage s of 3 at 8192 s: A at 0 (32 rows of 32 floats), B at 4096 (the same). Rows of an operand
// that is contiguous along k are 36 floats long; a stage then has up to 9216.
//
// Requires: gemm of FP32; sm_80; any transposition, alignment, size and batch.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; thread_m, thread_n of a thread; lane_rows of a warp;
// warp_rows of a block; stages of shared memory; blocks, which with the threads bounds the registers; peak_fraction for
// the cost.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 512 x 512 x 512 NN, NT, TN, TT 18, 22, 15, 18; cuBLAS 13.1 17,
// 18, 17, 17.
#include "gpu/kernels.h"
#include "multistage.cuh"
#include "tile_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<32, 32, 32, 4, 2, 4, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 6;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.48;
  static constexpr Fitted fitted = Fitted::sm80_ffma_32x32x32_multistage;
};

}  // namespace

LIBSGEMM_MULTISTAGE_ROW(sm80_ffma_32x32x32_multistage, chain_kernel)

}  // namespace libsgemm::cuda

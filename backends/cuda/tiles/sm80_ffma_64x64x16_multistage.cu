// C = alpha op(A) op(B) + beta C, on any GPU from sm_80, for matrices of a few hundred rows and columns.
//
// Source: NVIDIA, CUDA C++ Programming Guide (asynchronous copies); the loop is described in multistage.cuh.
//
//   tile of C: 64 x 64            warp: 32 x 32 = 4 x 8 lanes      thread: 8 x 4
//   +--------+--------+           first row 4 r, column 4 c        2 groups of 4 rows, 16 apart
//   | warp 0 | warp 2 |           r = lane / 2 % 4                 4 columns
//   +--------+--------+           c = 2 (lane / 8) + lane % 2
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// A block has four warps of 8 x 4 elements a thread, not two of 8 x 8: few tiles leave few warps to hide latency.
//
// Shared memory, bytes: stage s of 4 at 8192 s: A at 0 (16 rows of 64 floats), B at 4096 (the same). Rows of an operand
// that is contiguous along k are 68 floats long; a stage then has up to 8704.
//
// Requires: gemm of FP32; sm_80; any transposition, alignment, size and batch.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; thread_m, thread_n of a thread; lane_rows of a warp;
// warp_rows of a block; stages of shared memory; blocks, which with the threads bounds the registers; peak_fraction for
// the cost.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 65536 x 64 x 64 NN, NT, TN, TT 24, 27, 21, 22; cuBLAS 13.1 26,
// 27, 22, 22.
#include "gpu/kernels.h"
#include "multistage.cuh"
#include "tile_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<64, 64, 16, 8, 4, 4, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 4;
  static constexpr int blocks = 4;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.71;
  static constexpr Fitted fitted = Fitted::sm80_ffma_64x64x16_multistage;
};

}  // namespace

LIBSGEMM_MULTISTAGE_ROW(sm80_ffma_64x64x16_multistage, chain_kernel)

}  // namespace libsgemm::cuda

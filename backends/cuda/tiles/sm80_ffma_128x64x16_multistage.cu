// C = alpha op(A) op(B) + beta C, on any GPU from sm_80, where tiles of 128 x 128 are too few or waste too much of a
// narrow C.
//
// Source: NVIDIA, CUDA C++ Programming Guide (asynchronous copies); the loop is described in multistage.cuh.
//
//   tile of C: 128 x 64           warp: 64 x 32 = 8 x 4 lanes      thread: 8 x 8
//   +--------+--------+           first row 4 r, column 4 c        2 groups of 4 rows, 32 apart
//   | warp 0 | warp 2 |           r = 2 (lane / 8) + lane % 2      2 groups of 4 columns, 16 apart
//   +--------+--------+           c = lane / 2 % 4
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 3 at 12288 s: A at 0 (16 rows of 128 floats), B at 8192 (16 rows of 64). Rows of an
// operand that is contiguous along k are 4 floats longer; a stage then has up to 12800.
//
// Requires: gemm of FP32; sm_80; any transposition, alignment, size and batch.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; thread_m, thread_n of a thread; lane_rows of a warp;
// warp_rows of a block; stages of shared memory; blocks, which with the threads bounds the registers; peak_fraction for
// the cost.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 1024 x 1024 x 1024 NN, NT, TN, TT 39, 42, 35, 37; cuBLAS 13.1
// 35, 39, 34, 36. 1023 x 1023 x 1023 39, 38, 36, 36; cuBLAS 35, 35, 33, 35.
#include "gpu/kernels.h"
#include "multistage.cuh"
#include "tile_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<128, 64, 16, 8, 8, 8, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 3;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.74;
  static constexpr Fitted fitted = Fitted::sm80_ffma_128x64x16_multistage;
};

}  // namespace

LIBSGEMM_MULTISTAGE_ROW(sm80_ffma_128x64x16_multistage, chain_kernel)

}  // namespace libsgemm::cuda

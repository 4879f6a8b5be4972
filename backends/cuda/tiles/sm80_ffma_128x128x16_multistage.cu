// C = alpha op(A) op(B) + beta C on any GPU from sm_80, asynchronous copies several k-tiles ahead: step 7 of the ladder
// (docs/kernels/ffma.md), for a large C. An operand that is contiguous along k is copied element by element, which
// transposes it.
//
// Source: NVIDIA, CUDA C++ Programming Guide (asynchronous copies). The loop is described in multistage.cuh.
//
//   tile of C: 128 x 128          warp: 64 x 64 = 4 x 8 lanes      thread: 16 x 8
//   +---------+---------+         first row 4 r, column 4 c        4 groups of 4 rows, 16 apart
//   | warp 0  | warp 2  |         r = lane / 2 % 4                 2 groups of 4 columns, 32 apart
//   +---------+---------+         c = 2 (lane / 8) + lane % 2
//   | warp 1  | warp 3  |
//   +---------+---------+
//
// Shared memory, bytes: stage s of 3 at 16384 s, in each A at 0 (16 rows of 128 floats; 132 if contiguous along k), B
// at 8192 (the same); a stage has up to 16896.
//
// Requires: gemm of FP32; sm_80; any transposition, alignment, size and batch.
// Measured (H100): 4096 x 4096 x 4096 NT 52.0 TFLOP/s, cuBLAS 52.2.
#include "gpu/kernels.h"
#include "multistage.cuh"
#include "tile_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<128, 128, 16, 16, 8, 4, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.73;
};

}  // namespace

LIBSGEMM_MULTISTAGE_ROW(sm80_ffma_128x128x16_multistage, chain_kernel)

}  // namespace libsgemm::cuda

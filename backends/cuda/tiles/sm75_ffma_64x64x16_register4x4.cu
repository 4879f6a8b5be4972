// C = alpha op(A) op(B) + beta C, on any GPU: a 4 x 4 tile of C in the registers of each thread.
//
// Adds to the previous step (sm75_ffma_32x32x32_shared): 8 elements from shared memory now serve 16 multiplications,
// instead of 2 for one. A thread's rows and columns are 16 apart, so that 16 consecutive threads read, and in the end
// write, neighbours.
//
// Source: Volkov, Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra" (SC 2008).
//
//   tile of C: 64 x 64            block: 16 x 16 threads; thread (x, y)
//   +--------------------+        rows x + 16 i, columns y + 16 j, i, j < 4
//   |                    |        k advances by 16
//   +--------------------+
//
// Shared memory, bytes: A at 0 (16 rows of 65 floats), B at 4160 (the same). With rows of 65 floats the stores of an
// operand that is contiguous along k have fewer bank conflicts.
//
// Requires: gemm of FP32; any transposition, alignment, size and batch.
// Parameters (Config): tile_m, tile_n, tile_k of a block; thread_m, thread_n of a thread; threads, which follow from
// them.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 4096 x 4096 x 4096 NT 21.0; cuBLAS 13.1 (FP32, the same run)
// 52.2.
#include "gpu/kernels.h"
#include "register_tile.cuh"

namespace libsgemm::cuda {
namespace {

struct Config {
  static constexpr int min_arch = 75;
  static constexpr int tile_m = 64, tile_n = 64, tile_k = 16;
  static constexpr int thread_m = 4, thread_n = 4;
  static constexpr int threads = 256;
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.2;
};

}  // namespace

LIBSGEMM_REGISTER_TILE_ROW(sm75_ffma_64x64x16_register4x4, ladder_kernel)

}  // namespace libsgemm::cuda

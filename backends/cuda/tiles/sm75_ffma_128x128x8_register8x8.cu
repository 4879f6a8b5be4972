// C = alpha op(A) op(B) + beta C, on any GPU: an 8 x 8 tile of C in the registers of each thread.
//
// Adds to the previous step (sm75_ffma_64x64x16_register4x4): 16 elements from shared memory serve 64 multiplications,
// a quarter of an element each instead of a half, and the larger tile of C halves the traffic from global memory. From
// here on arithmetic could keep a multiprocessor busy; the instructions that fetch single elements prevent it.
//
// Source: Volkov, Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra" (SC 2008); Nath, Tomov, Dongarra, "An
// Improved MAGMA GEMM for Fermi GPUs" (2010).
//
//   tile of C: 128 x 128          block: 16 x 16 threads; thread (x, y)
//   +--------------------+        rows x + 16 i, columns y + 16 j, i, j < 8
//   |                    |        k advances by 8
//   +--------------------+
//
// Shared memory, bytes: A at 0 (8 rows of 129 floats), B at 4128 (the same).
//
// Requires: gemm of FP32; any transposition, alignment, size and batch.
// Parameters (Config): tile_m, tile_n, tile_k of a block; thread_m, thread_n of a thread; threads, which follow from
// them.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 4096 x 4096 x 4096 NT 30.4; cuBLAS 13.1 (FP32, the same run)
// 52.2.
#include "gpu/kernels.h"
#include "register_tile.cuh"

namespace libsgemm::cuda {
namespace {

struct Config {
  static constexpr int min_arch = 75;
  static constexpr int tile_m = 128, tile_n = 128, tile_k = 8;
  static constexpr int thread_m = 8, thread_n = 8;
  static constexpr int threads = 256;
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.4;
};

}  // namespace

LIBSGEMM_REGISTER_TILE_ROW(sm75_ffma_128x128x8_register8x8, ladder_kernel)

}  // namespace libsgemm::cuda

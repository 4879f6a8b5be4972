// C = alpha op(A) op(B) + beta C on any GPU, 4 x 4 elements of C in the registers of a thread: step 3 of the ladder
// (docs/kernels/ffma.md). Thread (x, y) of 16 x 16 has rows x + 16 i and columns y + 16 j of the tile.
//
// Source: Volkov, Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra" (SC 2008).
//
// Requires: gemm of FP32.
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

LIBSGEMM_REGISTER_TILE_CODE(sm75_ffma_64x64x16_register4x4)

KernelList sm75_ffma_64x64x16_register4x4() { return ladder_kernel<DeviceCode>("sm75_ffma_64x64x16_register4x4"); }

}  // namespace libsgemm::cuda

// Step 4 of the ladder: sm75_ffma_64x64x16_register4x4 with 8 x 8 elements a thread and tiles of 128 x 128.
//
// Source: Nath, Tomov, Dongarra, "An Improved MAGMA GEMM for Fermi GPUs" (2010).
#include "gpu/kernels.h"
#include "register_tile.cuh"

namespace libsgemm::cuda {
namespace {

struct Config {
  static constexpr int min_arch = 75;
  static constexpr int tile_m = 128, tile_n = 128, tile_k = 8;
  static constexpr int thread_m = 8, thread_n = 8;
  static constexpr int threads = 256;
  static constexpr int blocks = 2;
  static constexpr double peak_fraction = 0.4;
};

}  // namespace

LIBSGEMM_REGISTER_TILE_CODE(sm75_ffma_128x128x8_register8x8)

KernelList sm75_ffma_128x128x8_register8x8() { return ladder_kernel<DeviceCode>("sm75_ffma_128x128x8_register8x8"); }

}  // namespace libsgemm::cuda

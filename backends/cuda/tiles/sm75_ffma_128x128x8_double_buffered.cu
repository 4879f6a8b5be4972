// Step 6 of the ladder (docs/kernels/ffma.md): sm75_ffma_128x128x8_vectorised with two buffers (double_buffered.cuh).
//
// Source: Nath, Tomov, Dongarra, "An Improved MAGMA GEMM for Fermi GPUs" (2010); Tan et al., "Fast Implementation of
// DGEMM on Fermi GPU" (SC 2011).
#include "double_buffered.cuh"
#include "gpu/kernels.h"
#include "tile_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<128, 128, 8, 8, 8, 8, 2> {
  static constexpr int min_arch = 75;
  static constexpr int blocks = 2;
  static constexpr double peak_fraction = 0.62;
  static constexpr Fitted fitted = Fitted::sm75_ffma_128x128x8_double_buffered;
};

}  // namespace

LIBSGEMM_DOUBLE_BUFFERED_CODE(sm75_ffma_128x128x8_double_buffered, resident_blocks(Config::blocks))

KernelList sm75_ffma_128x128x8_double_buffered() {
  return chain_kernel<DeviceCode>("sm75_ffma_128x128x8_double_buffered");
}

}  // namespace libsgemm::cuda

// sm75_ffma_128x128x8_double_buffered for small matrices: two warps of 32 x 16.
#include "double_buffered.cuh"
#include "gpu/kernels.h"
#include "tile_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<32, 32, 16, 4, 4, 8, 1> {
  static constexpr int min_arch = 75;
  static constexpr int blocks = 8;
  static constexpr double peak_fraction = 0.25;
  static constexpr Fitted fitted = Fitted::sm75_ffma_32x32x16_double_buffered;
};

}  // namespace

LIBSGEMM_DOUBLE_BUFFERED_CODE(sm75_ffma_32x32x16_double_buffered, Config::blocks)

KernelList sm75_ffma_32x32x16_double_buffered() {
  return chain_kernel<DeviceCode>("sm75_ffma_32x32x16_double_buffered");
}

}  // namespace libsgemm::cuda

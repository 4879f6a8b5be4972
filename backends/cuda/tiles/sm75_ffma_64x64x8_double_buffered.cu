// The loop of sm75_ffma_128x128x8_double_buffered, with warps and threads as in sm80_ffma_64x64x16_multistage.
#include "double_buffered.cuh"
#include "gpu/kernels.h"
#include "tile_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<64, 64, 8, 8, 4, 4, 2> {
  static constexpr int min_arch = 75;
  static constexpr int blocks = 4;
  static constexpr double peak_fraction = 0.60;
  static constexpr Fitted fitted = Fitted::sm75_ffma_64x64x8_double_buffered;
  static constexpr double split_peak_fraction = 0.5;
  static constexpr Fitted split_fitted = Fitted::sm75_ffma_64x64x8_split_k;
};

}  // namespace

LIBSGEMM_DOUBLE_BUFFERED_CODE(sm75_ffma_64x64x8_double_buffered, Config::blocks)

KernelList sm75_ffma_64x64x8_double_buffered() {
  return {chain_kernel<DeviceCode>("sm75_ffma_64x64x8_double_buffered"),
          split_kernel<SplitFfma<DeviceCode>>("sm75_ffma_64x64x8_split_k")};
}

}  // namespace libsgemm::cuda

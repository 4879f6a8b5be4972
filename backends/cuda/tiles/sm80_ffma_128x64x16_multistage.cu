// sm80_ffma_128x128x16_multistage with warps of 64 x 32 and threads of 8 x 8, for a medium or narrow C.
#include "gpu/kernels.h"
#include "multistage.cuh"
#include "tile_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<128, 64, 16, 8, 8, 8, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 3;
  static constexpr double peak_fraction = 0.74;
  static constexpr Fitted fitted = Fitted::sm80_ffma_128x64x16_multistage;
  static constexpr double split_peak_fraction = 0.74;
  static constexpr Fitted split_fitted = Fitted::sm80_ffma_128x64x16_split_k;
};

}  // namespace

LIBSGEMM_MULTISTAGE_CODE(sm80_ffma_128x64x16_multistage)

KernelList sm80_ffma_128x64x16_multistage() {
  return {chain_kernel<DeviceCode>("sm80_ffma_128x64x16_multistage"),
          split_kernel<SplitFfma<DeviceCode>>("sm80_ffma_128x64x16_split_k")};
}

}  // namespace libsgemm::cuda

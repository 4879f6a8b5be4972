// sm80_ffma_128x128x16_multistage for a few hundred rows and columns, with four warps of 32 x 32 (8 x 4 elements a
// thread): C has few tiles, and threads with few elements leave more warps to hide latency.
//
// sm80_ffma_64x64x16_split_k, for few tiles of C and a deep k: blocks store the sums of slices of k to the workspace;
// split_k_sum() adds them in order. The number of slices depends on the cost model (gpu/tiles/split_k.h) and the shape
// alone, so results are repeatable. It takes one product or a strided batch, and needs a workspace. Slicing k is
// folklore; Osama et al., "Stream-K" (PPoPP 2023), discuss the partial wave that it fills.
#include "gpu/kernels.h"
#include "multistage.cuh"
#include "tile_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<64, 64, 16, 8, 4, 4, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 4;
  static constexpr int blocks = 4;
  static constexpr double peak_fraction = 0.71;
  static constexpr Fitted fitted = Fitted::sm80_ffma_64x64x16_multistage;
  static constexpr double split_peak_fraction = 0.66;
  static constexpr Fitted split_fitted = Fitted::sm80_ffma_64x64x16_split_k;
};

}  // namespace

LIBSGEMM_MULTISTAGE_CODE(sm80_ffma_64x64x16_multistage)

KernelList sm80_ffma_64x64x16_multistage() {
  return {chain_kernel<DeviceCode>("sm80_ffma_64x64x16_multistage"),
          split_kernel<SplitFfma<DeviceCode>>("sm80_ffma_64x64x16_split_k")};
}

}  // namespace libsgemm::cuda

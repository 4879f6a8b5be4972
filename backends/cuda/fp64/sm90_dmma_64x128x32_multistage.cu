// Like sm90_dmma_64x64x32_multistage.cu, but with warps of 32 x 64, for large C; gemm only. Tiles of 64 x 64 are mostly
// faster.
#include "dmma_kernel.h"
#include "dmma_multistage.cuh"

namespace libsgemm::cuda {
namespace {

struct Config : DmmaShape<64, 128, 32, 32, 64> {
  static constexpr int stages = 3;
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::sm90_dmma_64x128x32_multistage;
  static constexpr Fitted split_fitted = Fitted::sm90_dmma_64x128x32_split_k;
  static constexpr double elements = 0.93;
  static constexpr double by_floats = 6;
};

}  // namespace

LIBSGEMM_DMMA_CODE(sm90_dmma_64x128x32_multistage)

KernelList sm90_dmma_64x128x32_multistage() {
  return {dmma_kernel<DeviceCode>("sm90_dmma_64x128x32_multistage"),
          dmma_split_kernel<DeviceCode>("sm90_dmma_64x128x32_split_k")};
}

}  // namespace libsgemm::cuda

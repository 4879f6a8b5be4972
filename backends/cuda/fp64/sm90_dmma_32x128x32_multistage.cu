// sm90_dmma_64x64x32_multistage.cu with four warps of 32 x 32 side by side, for C of few rows; gemm only.
#include "dmma_kernel.h"
#include "sm90_dmma_32x128x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma32x128x32;

}  // namespace

LIBSGEMM_DMMA_CODE(sm90_dmma_32x128x32_multistage)

KernelList sm90_dmma_32x128x32_multistage() {
  return {dmma_kernel<DeviceCode>("sm90_dmma_32x128x32_multistage"),
          dmma_split_kernel<DeviceCode>("sm90_dmma_32x128x32_split_k")};
}

}  // namespace libsgemm::cuda

// sm90_dmma_64x64x32_multistage.cu with four warps of 32 x 32 one below the other, for C of few columns; gemm only.
#include "dmma_kernel.h"
#include "sm90_dmma_128x32x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma128x32x32;

}  // namespace

LIBSGEMM_DMMA_CODE(sm90_dmma_128x32x32_multistage)

KernelList sm90_dmma_128x32x32_multistage() {
  return {dmma_kernel<DeviceCode>("sm90_dmma_128x32x32_multistage"),
          dmma_split_kernel<DeviceCode>("sm90_dmma_128x32x32_split_k")};
}

}  // namespace libsgemm::cuda

// As sm90_dmma_64x64x32_conv.cu, with four warps of 32 x 32 side by side, for products with few rows of C; without
// _packed and _col2im.
#include "dmma_conv.cuh"
#include "dmma_conv_kernel.h"
#include "fp64/sm90_dmma_32x128x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma32x128x32;

}  // namespace

LIBSGEMM_DMMA_CONV_CODE(sm90_dmma_32x128x32_conv)

KernelList sm90_dmma_32x128x32_conv() {
  return {conv_kernel<ConvCode>("sm90_dmma_32x128x32_conv"),
          conv_split_kernel<ConvCode>("sm90_dmma_32x128x32_conv_split_k")};
}

}  // namespace libsgemm::cuda

// sm90_dmma_64x64x32_conv.cu with four warps of 32 x 32, one below the other, for products with few columns of C.
#include "dmma_conv.cuh"
#include "dmma_conv_kernel.h"
#include "fp64/sm90_dmma_128x32x32.h"
#include "gpu/conv/col2im_kernel.h"
#include "gpu/conv/conv_pack_kernel.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma128x32x32;

}  // namespace

LIBSGEMM_DMMA_CONV_CODE(sm90_dmma_128x32x32_conv)

KernelList sm90_dmma_128x32x32_conv() {
  return {conv_kernel<ConvCode>("sm90_dmma_128x32x32_conv"),
          conv_split_kernel<ConvCode>("sm90_dmma_128x32x32_conv_split_k"),
          conv_packed_kernel<ConvCode>("sm90_dmma_128x32x32_conv_packed"),
          col2im_kernel<ConvCode>("sm90_dmma_128x32x32_col2im")};
}

}  // namespace libsgemm::cuda

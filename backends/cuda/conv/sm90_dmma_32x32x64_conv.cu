// The convolutions of sm90_dmma_64x64x32_conv.cu with warps of 16 x 16, for small problems. There is no _col2im.
#include "dmma_conv.cuh"
#include "dmma_conv_kernel.h"
#include "fp64/sm90_dmma_32x32x64.h"
#include "gpu/conv/conv_pack_kernel.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma32x32x64;

}  // namespace

LIBSGEMM_DMMA_CONV_CODE(sm90_dmma_32x32x64_conv)

KernelList sm90_dmma_32x32x64_conv() {
  return {conv_kernel<ConvCode>("sm90_dmma_32x32x64_conv"),
          conv_split_kernel<ConvCode>("sm90_dmma_32x32x64_conv_split_k"),
          conv_packed_kernel<ConvCode>("sm90_dmma_32x32x64_conv_packed")};
}

}  // namespace libsgemm::cuda

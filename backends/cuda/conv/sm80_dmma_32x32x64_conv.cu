// As sm90_dmma_32x32x64_conv.cu, on an A100, A800 or A30 (sm_80), without _packed. Not measured.
#include "dmma_conv.cuh"
#include "dmma_conv_kernel.h"
#include "fp64/sm80_dmma_32x32x64.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm80Dmma32x32x64;

}  // namespace

LIBSGEMM_DMMA_CONV_CODE(sm80_dmma_32x32x64_conv)

KernelList sm80_dmma_32x32x64_conv() {
  return {conv_kernel<ConvCode>("sm80_dmma_32x32x64_conv"),
          conv_split_kernel<ConvCode>("sm80_dmma_32x32x64_conv_split_k")};
}

}  // namespace libsgemm::cuda

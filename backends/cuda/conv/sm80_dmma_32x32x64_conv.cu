// Convolutions, and both gradients, with sums in FP64 on the FP64 tensor cores of an A100, A800 or A30: FP32's tensors,
// every element rounded once. For most sizes.
#include "dmma_conv.cuh"
#include "dmma_conv_row.h"
#include "fp64/sm80_dmma_32x32x64.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm80Dmma32x32x64;

}  // namespace

LIBSGEMM_DMMA_CONV_ROW(sm80_dmma_32x32x64_conv)

Kernel sm80_dmma_32x32x64_conv_split_k() { return conv_split_kernel<ConvRow>("sm80_dmma_32x32x64_conv_split_k"); }

}  // namespace libsgemm::cuda

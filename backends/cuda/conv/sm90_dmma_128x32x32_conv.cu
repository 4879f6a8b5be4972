// Convolutions, and both gradients, with sums in FP64 on the FP64 tensor cores of an H100 or H200: FP32's tensors,
// every element rounded once. For most sizes.
#include "dmma_conv.cuh"
#include "dmma_conv_row.h"
#include "fp64/sm90_dmma_128x32x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma128x32x32;

}  // namespace

LIBSGEMM_DMMA_CONV_ROW(sm90_dmma_128x32x32_conv)

Kernel sm90_dmma_128x32x32_conv_split_k() { return conv_split_kernel<ConvRow>("sm90_dmma_128x32x32_conv_split_k"); }

}  // namespace libsgemm::cuda

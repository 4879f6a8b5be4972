// As sm90_dmma_64x64x32_conv.cu, for small problems; without _col2im.
//
//   warps of a tile: four of 16 x 16; three blocks a multiprocessor
//
// Measured (H100 SXM, CUDA 13.0, NHWC): weight gradient of 32 groups of 4 channels, 3 x 3, 32 x 56 x 56, split-K, 372
// us; tiles of 64 x 64 511.
#include "dmma_conv.cuh"
#include "dmma_conv_row.h"
#include "fp64/sm90_dmma_32x32x64.h"
#include "gpu/conv/conv_pack_row.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma32x32x64;

}  // namespace

LIBSGEMM_DMMA_CONV_ROW(sm90_dmma_32x32x64_conv)

Kernel sm90_dmma_32x32x64_conv_split_k() { return conv_split_kernel<ConvRow>("sm90_dmma_32x32x64_conv_split_k"); }

Kernel sm90_dmma_32x32x64_conv_packed() { return conv_packed_kernel<ConvRow>("sm90_dmma_32x32x64_conv_packed"); }

}  // namespace libsgemm::cuda

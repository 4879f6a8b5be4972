// As sm90_dmma_64x64x32_conv.cu, for products with few rows of C; without _packed and _col2im.
//
//   warps of a tile: four of 32 x 32, side by side; three blocks a multiprocessor
//
// Measured (H100 SXM, CUDA 13.0, NCHW): 3 x 3 of 512 channels, 32 x 7 x 7, split-K, 46.1 TFLOP/s; tiles of 64 x 64
// 41.2.
#include "dmma_conv.cuh"
#include "dmma_conv_row.h"
#include "fp64/sm90_dmma_32x128x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma32x128x32;

}  // namespace

LIBSGEMM_DMMA_CONV_ROW(sm90_dmma_32x128x32_conv)

Kernel sm90_dmma_32x128x32_conv_split_k() { return conv_split_kernel<ConvRow>("sm90_dmma_32x128x32_conv_split_k"); }

}  // namespace libsgemm::cuda

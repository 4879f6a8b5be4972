// Convolutions of FP32 tensors, and both gradients, with accumulators in FP64 on the FP64 tensor cores of an H100 or
// H200. Every element is rounded once. For products with few rows of C.
//
// sm90_dmma_32x128x32_conv_split_k: the same kernel on slices of k, which conv_split_k_sum_fp64() adds in order.
//
// The mainloop is described in fp64/dmma_multistage.cuh, the part of a warp in fp64/dmma.cuh, the gathering of operands
// in gather_tile.cuh, the indices of the product in gpu/conv/conv_problem.h.
//
//   warps of a tile: four of 32 x 32, side by side; three blocks a multiprocessor
//
// Requires: sm_90; FP32 tensors with any element strides and alignment; all directions, strides, paddings, dilations
// and groups, with fewer than 2^29 rows, columns and terms of a group. split_k also: a forward convolution, a weight
// gradient, or a data gradient without strides; a shape for which the cost model chooses more than one slice; a
// workspace of 8 slices ceil(m, 4) n bytes a group, at most 32 MiB.
//
// Measured (H100 SXM, CUDA 13.0, TFLOP/s; in brackets: tiles of 64 x 64): 3 x 3 of 512 channels, 32 x 7 x 7, NCHW,
// split-K: 46.1 (41.2); 3 x 3 of 128 channels, 16 x 112 x 112, NCHW: 53.6 (53.0).
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

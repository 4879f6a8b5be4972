// Convolutions of FP32 tensors, and both gradients, with accumulators in FP64 on the FP64 tensor cores of an H100 or
// H200. Every element is rounded once. For products with few columns of C.
//
// sm90_dmma_128x32x32_conv_split_k: the same kernel on slices of k, which conv_split_k_sum_fp64() adds in order.
//
// sm90_dmma_128x32x32_conv_packed: data gradients by the same kernel, from a copy of the filters with neighbouring
// channels (gpu/conv/conv_pack.h).
//
// sm90_dmma_128x32x32_col2im: data gradients by the same kernel, as one product of all pixels of dy with all elements
// of the filters, and a sum of its columns (gpu/conv/col2im_problem.h).
//
// The mainloop is described in fp64/dmma_multistage.cuh, the part of a warp in fp64/dmma.cuh, the gathering of operands
// in gather_tile.cuh, the indices of the product in gpu/conv/conv_problem.h.
//
//   warps of a tile: four of 32 x 32, one below the other; three blocks a multiprocessor
//
// Requires: sm_90; FP32 tensors with any element strides and alignment; all directions, strides, paddings, dilations
// and groups, with fewer than 2^29 rows, columns and terms of a group. split_k also: a forward convolution, a weight
// gradient, or a data gradient without strides; a shape for which the cost model chooses more than one slice; a
// workspace of 8 slices ceil(m, 4) n bytes a group, at most 32 MiB.
//
// Measured (H100 SXM, CUDA 13.0; in brackets: tiles of 64 x 64): data gradient of 3 channels (7 x 7, strides of 2, 32 x
// 224 x 224), NCHW: 1775 us (3272); 32 groups of 4 channels, 3 x 3, 32 x 56 x 56, NCHW: 364 us (614).
#include "dmma_conv.cuh"
#include "dmma_conv_row.h"
#include "fp64/sm90_dmma_128x32x32.h"
#include "gpu/conv/col2im_row.h"
#include "gpu/conv/conv_pack_row.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma128x32x32;

}  // namespace

LIBSGEMM_DMMA_CONV_ROW(sm90_dmma_128x32x32_conv)

Kernel sm90_dmma_128x32x32_conv_split_k() { return conv_split_kernel<ConvRow>("sm90_dmma_128x32x32_conv_split_k"); }

Kernel sm90_dmma_128x32x32_col2im() { return col2im_kernel<ConvRow>("sm90_dmma_128x32x32_col2im"); }

Kernel sm90_dmma_128x32x32_conv_packed() { return conv_packed_kernel<ConvRow>("sm90_dmma_128x32x32_conv_packed"); }

}  // namespace libsgemm::cuda

// Convolutions of FP32 tensors, and both gradients, with accumulators in FP64 on the FP64 tensor cores of an H100 or
// H200, rounded once. For most sizes. Figures: docs/kernels/convolution.md.
//
// _conv_split_k: slices of k, which conv_split_k_sum_fp64() adds in order. _conv_packed, _col2im: data gradients
// (gpu/conv/conv_pack.h, col2im_problem.h).
//
// Main loop: fp64/dmma_multistage.cuh; a warp's part: fp64/dmma.cuh; gathered operands: gather_tile.cuh; indices of the
// product: gpu/conv/conv_problem.h. Tile, warps and stages: fp64/sm90_dmma_64x64x32_multistage.cu; at most 4 KiB of
// places follow the stages.
//
// Requires: sm_90; FP32 tensors with any element strides and alignment; all directions, strides, paddings, dilations
// and groups, with fewer than 2^29 rows, columns and terms of a group. split_k also: a forward convolution, a weight
// gradient, or a data gradient without strides; a shape for which the cost model chooses more than one slice; a
// workspace of 8 slices ceil(m, 4) n bytes a group, at most 32 MiB.
#include "dmma_conv.cuh"
#include "dmma_conv_kernel.h"
#include "fp64/sm90_dmma_64x64x32.h"
#include "gpu/conv/col2im_kernel.h"
#include "gpu/conv/conv_pack_kernel.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma64x64x32;

}  // namespace

LIBSGEMM_DMMA_CONV_CODE(sm90_dmma_64x64x32_conv)

KernelList sm90_dmma_64x64x32_conv() {
  return {conv_kernel<ConvCode>("sm90_dmma_64x64x32_conv"),
          conv_split_kernel<ConvCode>("sm90_dmma_64x64x32_conv_split_k"),
          conv_packed_kernel<ConvCode>("sm90_dmma_64x64x32_conv_packed"),
          col2im_kernel<ConvCode>("sm90_dmma_64x64x32_col2im")};
}

}  // namespace libsgemm::cuda

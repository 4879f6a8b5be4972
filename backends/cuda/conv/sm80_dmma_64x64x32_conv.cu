// Convolutions, and both gradients, with sums in FP64 on the FP64 tensor cores of an A100, A800 or A30: FP32's tensors,
// every element rounded once. For most sizes.
//
// sm80_dmma_64x64x32_conv_split_k: the same kernel on slices of the sum, which conv_split_k_sum_fp64() adds in their
// order.
//
// sm80_dmma_64x64x32_conv_packed: data gradients by the same kernel, from filters whose channels are neighbours
// (gpu/conv_pack.h).
//
// sm80_dmma_64x64x32_col2im: data gradients by the same kernel, as one product of all pixels of dy with all elements of
// the filters, and a sum of its columns (gpu/col2im_problem.h).
//
// The loop is described in fp64/dmma_multistage.cuh, the warp's part in fp64/dmma.cuh, the gathering of operands in
// gather_tile.cuh, which index is which in gpu/conv_problem.h.
//
// Requires: sm_80; FP32 tensors of any steps and alignment; all directions, strides, paddings, dilations and groups,
// with fewer than 2^29 rows, columns and terms of a group; split_k: the forward convolution, the weight gradient, or a
// data gradient without strides, more than one slice worth its sum, a workspace of 8 slices ceil(m, 4) n bytes a group,
// at most 32 MiB.
//
// Not measured: no GPU of this kind was at hand.
#include "dmma_conv.cuh"
#include "dmma_conv_row.h"
#include "fp64/sm80_dmma_64x64x32.h"
#include "gpu/col2im_row.h"
#include "gpu/conv_pack_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : Sm80Dmma64x64x32 {
  static constexpr int blocks = 3;  // the places take the shared memory of the fourth
};

}  // namespace

LIBSGEMM_DMMA_CONV_ROW(sm80_dmma_64x64x32_conv)

Kernel sm80_dmma_64x64x32_conv_split_k() { return conv_split_kernel<ConvRow>("sm80_dmma_64x64x32_conv_split_k"); }

Kernel sm80_dmma_64x64x32_col2im() { return col2im_kernel<ConvRow>("sm80_dmma_64x64x32_col2im"); }

Kernel sm80_dmma_64x64x32_conv_packed() { return conv_packed_kernel<ConvRow>("sm80_dmma_64x64x32_conv_packed"); }

}  // namespace libsgemm::cuda

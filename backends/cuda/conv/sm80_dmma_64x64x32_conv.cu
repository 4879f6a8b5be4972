// Convolutions of FP32 tensors, and both gradients, with accumulators in FP64 on the FP64 tensor cores of an A100, A800
// or A30. Every element is rounded once. For most sizes.
//
// sm80_dmma_64x64x32_conv_split_k: the same kernel on slices of k, which conv_split_k_sum_fp64() adds in order.
//
// sm80_dmma_64x64x32_conv_packed: data gradients by the same kernel, from a copy of the filters with neighbouring
// channels (gpu/conv/conv_pack.h).
//
// sm80_dmma_64x64x32_col2im: data gradients by the same kernel, as one product of all pixels of dy with all elements of
// the filters, and a sum of its columns (gpu/conv/col2im_problem.h).
//
// The mainloop is described in fp64/dmma_multistage.cuh, the part of a warp in fp64/dmma.cuh, the gathering of operands
// in gather_tile.cuh, the indices of the product in gpu/conv/conv_problem.h.
//
// Requires: sm_80; FP32 tensors with any element strides and alignment; all directions, strides, paddings, dilations
// and groups, with fewer than 2^29 rows, columns and terms of a group. split_k also: a forward convolution, a weight
// gradient, or a data gradient without strides; a shape for which the cost model chooses more than one slice; a
// workspace of 8 slices ceil(m, 4) n bytes a group, at most 32 MiB.
//
// Not measured: no GPU of this kind was available.
#include "dmma_conv.cuh"
#include "dmma_conv_row.h"
#include "fp64/sm80_dmma_64x64x32.h"
#include "gpu/conv/col2im_row.h"
#include "gpu/conv/conv_pack_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : Sm80Dmma64x64x32 {
  static constexpr int blocks = 3;  // the places take the shared memory of a fourth
};

}  // namespace

LIBSGEMM_DMMA_CONV_ROW(sm80_dmma_64x64x32_conv)

Kernel sm80_dmma_64x64x32_conv_split_k() { return conv_split_kernel<ConvRow>("sm80_dmma_64x64x32_conv_split_k"); }

Kernel sm80_dmma_64x64x32_col2im() { return col2im_kernel<ConvRow>("sm80_dmma_64x64x32_col2im"); }

Kernel sm80_dmma_64x64x32_conv_packed() { return conv_packed_kernel<ConvRow>("sm80_dmma_64x64x32_conv_packed"); }

}  // namespace libsgemm::cuda

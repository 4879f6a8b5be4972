// Convolutions of FP32 tensors, and both gradients, with accumulators in FP64 on the FP64 tensor cores of an A100, A800
// or A30. Every element is rounded once. For small problems.
//
// sm80_dmma_32x32x64_conv_split_k: the same kernel on slices of k, which conv_split_k_sum_fp64() adds in order.
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
#include "fp64/sm80_dmma_32x32x64.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm80Dmma32x32x64;

}  // namespace

LIBSGEMM_DMMA_CONV_ROW(sm80_dmma_32x32x64_conv)

Kernel sm80_dmma_32x32x64_conv_split_k() { return conv_split_kernel<ConvRow>("sm80_dmma_32x32x64_conv_split_k"); }

}  // namespace libsgemm::cuda

// Convolutions of FP32 tensors, and both gradients, with accumulators in FP64 on the FP64 tensor cores of an H100 or
// H200. Every element is rounded once. For small problems.
//
// sm90_dmma_32x32x64_conv_split_k: the same kernel on slices of k, which conv_split_k_sum_fp64() adds in order.
//
// sm90_dmma_32x32x64_conv_packed: data gradients by the same kernel, from a copy of the filters with neighbouring
// channels (gpu/conv/conv_pack.h).
//
// The mainloop is described in fp64/dmma_multistage.cuh, the part of a warp in fp64/dmma.cuh, the gathering of operands
// in gather_tile.cuh, the indices of the product in gpu/conv/conv_problem.h.
//
//   warps of a tile: four of 16 x 16; three blocks a multiprocessor
//
// Requires: sm_90; FP32 tensors with any element strides and alignment; all directions, strides, paddings, dilations
// and groups, with fewer than 2^29 rows, columns and terms of a group. split_k also: a forward convolution, a weight
// gradient, or a data gradient without strides; a shape for which the cost model chooses more than one slice; a
// workspace of 8 slices ceil(m, 4) n bytes a group, at most 32 MiB.
//
// Measured (H100 SXM, CUDA 13.0; in brackets: tiles of 64 x 64): weight gradient of 32 groups of 4 channels, 3 x 3, 32
// x 56 x 56, NHWC, split-K: 372 us (511).
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

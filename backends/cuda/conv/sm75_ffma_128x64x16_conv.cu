// Convolutions and both gradients by FP32 FMAs, on any architecture: for GPUs without full-rate FP64 tensor cores. For
// large problems.
//
// sm75_ffma_128x64x16_conv_split_k: the same kernel on slices of k, which conv_split_k_sum() adds in order.
//
// Main loop: tiles/multistage.cuh; gathered operands: gather_tile.cuh; indices of the product: gpu/conv/conv_problem.h.
// A warp computes 64 x 32 elements of C, a lane 8 x 8. K-major operands are copied by single elements, transposed.
//
// Requires: FP32 tensors with any element strides and alignment; all directions, strides, paddings, dilations and
// groups, with fewer than 2^29 rows, columns and terms of a group. split_k also: a forward convolution, a weight
// gradient, or a data gradient without strides; a shape for which the cost model chooses more than one slice; a
// workspace of 4 slices ceil(m, 4) n bytes a group, at most 32 MiB.
//
// Measured (H100 SXM, CUDA 13.0, forward, NCHW): 3 x 3 of 128 channels, 16 x 112 x 112, 38.7 TFLOP/s. More:
// docs/kernels/convolution.md.
#include "ffma_conv.cuh"
#include "ffma_conv_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<128, 64, 16, 8, 8, 8, 2> {
  static constexpr int min_arch = 75;
  static constexpr int stages = 3;
  static constexpr int blocks = 3;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.74;
  static constexpr double by_floats = 6;  // k that takes as long as storing C by single floats
  static constexpr Fitted fitted = Fitted::sm80_ffma_128x64x16_multistage;
};

}  // namespace

LIBSGEMM_FFMA_CONV_ROW(sm75_ffma_128x64x16_conv)

Kernel sm75_ffma_128x64x16_conv_split_k() { return conv_split_kernel<ConvRow>("sm75_ffma_128x64x16_conv_split_k"); }

}  // namespace libsgemm::cuda

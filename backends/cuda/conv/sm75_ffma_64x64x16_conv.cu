// Convolutions and both gradients by FP32 FMAs, on any architecture: for GPUs without full-rate FP64 tensor cores. For
// medium and small problems.
//
// sm75_ffma_64x64x16_conv_split_k: the same kernel on slices of k, which conv_split_k_sum() adds in order.
//
// sm75_ffma_64x64x16_col2im: data gradients by the same kernel, as one product of all pixels of dy with all elements of
// the filters, and a sum of its columns (gpu/conv/col2im_problem.h).
//
// The mainloop is described in tiles/multistage.cuh, the gathering of operands in gather_tile.cuh, the indices of the
// product in gpu/conv/conv_problem.h. A warp computes 32 x 32 elements of C, a lane 8 x 4. Operands along k are copied
// by single elements, transposed.
//
// Requires: FP32 tensors with any element strides and alignment; all directions, strides, paddings, dilations and
// groups, with fewer than 2^29 rows, columns and terms of a group. split_k also: a forward convolution, a weight
// gradient, or a data gradient without strides; a shape for which the cost model chooses more than one slice; a
// workspace of 4 slices ceil(m, 4) n bytes a group, at most 32 MiB.
//
// Measured (H100 SXM, CUDA 13.0, TFLOP/s, forward, NCHW | NHWC): 3 x 3 of 64 channels, 16 x 224 x 224: 33.7 | 31.2; 1 x
// 1 of 512 to 128, 32 x 28 x 28: 32.4 | 26.3; 7 x 7, strides of 2, 3 to 64: 26.0 | 27.1.
#include "ffma_conv.cuh"
#include "ffma_conv_row.h"
#include "gpu/conv/col2im_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<64, 64, 16, 8, 4, 4, 2> {
  static constexpr int min_arch = 75;
  static constexpr int stages = 4;
  static constexpr int blocks = 4;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.71;
  static constexpr double by_floats = 6;  // cost of storing C by single floats, in steps of k
  static constexpr Fitted fitted = Fitted::sm80_ffma_64x64x16_multistage;
};

}  // namespace

LIBSGEMM_FFMA_CONV_ROW(sm75_ffma_64x64x16_conv)

Kernel sm75_ffma_64x64x16_conv_split_k() { return conv_split_kernel<ConvRow>("sm75_ffma_64x64x16_conv_split_k"); }

Kernel sm75_ffma_64x64x16_col2im() { return col2im_kernel<ConvRow>("sm75_ffma_64x64x16_col2im"); }

}  // namespace libsgemm::cuda

// Weight gradients of convolutions with FP32-level error, from six products of bfloat16 by wgmma (mode bf16x6, sm_90).
//
// Launches: conv_survey finds the largest magnitudes of x and of dy; conv_split writes 3 splits of each, with
// neighbouring channels, of as many images as the workspace holds; wgmma multiplies, in slices of the pixels;
// conv_weights_sum adds the slices. If a tensor holds NaN or Inf or the sums may overflow, sm90_conv_repair computes
// them in FP64 instead.
//
//   tile: 256 channels of taps (x) x 128 filters (y), in k-steps of 32 pixels; also 128 x 128 and 256 x 64; with more
//   than 128 filters, two neighbouring tiles of the same channels form a cluster
//
// Sources: those of the engine (wgmma/wgmma_engine.cuh).
//
// Shared memory, bytes, for 256 x 128: stage s of 3 at 73728 s: splits of 256 channels at 0, of 128 filters at 49152
// (24576); no room for the boxes of stores; 6 barriers at 221184; 221232 in all. Other tiles: kConvStages
// (wgmma_conv_row.h).
//
// Requires: sm_90, and FP64 tensor cores; the weight gradient without groups; FP32 tensors with any element strides and
// alignment; strides up to 8, padding up to 127, dilation x (taps - 1) up to about 127 more than the padding.
// Workspace: one image and its gradient, 6 bytes for each element, channels up to multiples of 8; and a copy of the
// filters, channels up to multiples of 64.
//
// Measured (H100 SXM, CUDA 13.0, 1980 MHz; whole calls, NHWC, TFLOP/s): 3 x 3 of 128 channels, 32 x 28 x 28: 52; of
// 256, 14 x 14: 66.
#include "gpu/kernels.h"
#include "wgmma_weights.cuh"
#include "wgmma_weights_row.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_bf16x6_weights(const __grid_constant__ WgmmaMaps maps,
                                         const __grid_constant__ WgmmaConvProblem p) {
  wgmma_weights<WeightsShape<Scheme::bf16x3, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct Row {
  static constexpr Scheme scheme = Scheme::bf16x3;
  static constexpr double peak_fraction = 0.75;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x32_bf16x6_weights<kHalves, kN, kCluster>;
  }
};

}  // namespace

Kernel sm90_wgmma_128x256x32_bf16x6_weights() {
  return wgmma_weights_kernel<Row>("sm90_wgmma_128x256x32_bf16x6_weights", LIBSGEMM_MATH_BF16X6);
}

}  // namespace libsgemm::cuda

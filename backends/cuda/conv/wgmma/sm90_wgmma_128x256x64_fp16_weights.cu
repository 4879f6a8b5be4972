// Weight gradients of convolutions of images and gradients rounded to fp16, by wgmma (mode fp16, sm_90).
//
// Launches: conv_split writes x and dy rounded, with neighbouring channels, as many images of either as the workspace
// holds; wgmma multiplies, in slices of the pixels; conv_weights_sum adds the slices.
//
//   tile: 256 channels of taps (x) x 128 filters (y), in k-steps of 64 pixels; also 128 x 128 and 256 x 64; with more
//   than 128 filters, two neighbouring tiles of the same channels form a cluster
//
// Sources: those of the engine (wgmma/wgmma_engine.cuh).
//
// Shared memory, bytes, for 256 x 128: stage s of 4 at 49152 s: 256 channels at 0, 128 filters at 32768 (16384); for
// stores to the slice two boxes of each warp at 196608, 2048 each; 8 barriers at 229376; 229440 in all. Other tiles:
// kConvStages (wgmma_conv_row.h).
//
// Requires: sm_90; the weight gradient without groups, 16 channels or more; FP32 tensors with any element strides and
// alignment; strides up to 8, padding up to 127, dilation x (taps - 1) up to about 127 more than the padding.
// Workspace: one image and its gradient, 2 bytes for each element, channels up to multiples of 8; and a copy of the
// filters, channels up to multiples of 64.
//
// Measured (H100 SXM, CUDA 13.0, 1980 MHz; whole calls, NHWC, TFLOP/s): 3 x 3 of 64 channels, 32 x 56 x 56: 95; of 128,
// 28 x 28: 181; of 256, 14 x 14: 249; of 512, 7 x 7: 201; of 128, 16 x 112 x 112: 271.
#include "gpu/kernels.h"
#include "wgmma_weights.cuh"
#include "wgmma_weights_row.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x64_fp16_weights(const __grid_constant__ WgmmaMaps maps,
                                       const __grid_constant__ WgmmaConvProblem p) {
  wgmma_weights<WeightsShape<Scheme::fp16, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct Row {
  static constexpr Scheme scheme = Scheme::fp16;
  static constexpr double peak_fraction = 0.93;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x64_fp16_weights<kHalves, kN, kCluster>;
  }
};

}  // namespace

Kernel sm90_wgmma_128x256x64_fp16_weights() {
  return wgmma_weights_kernel<Row>("sm90_wgmma_128x256x64_fp16_weights", LIBSGEMM_MATH_FP16);
}

}  // namespace libsgemm::cuda

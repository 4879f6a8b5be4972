// Weight gradients of convolutions of images and gradients rounded to bfloat16, by wgmma (mode bf16, sm_90).
//
// Launches: conv_split writes as many images of x and of dy, rounded, as the workspace holds, channels as neighbours;
// wgmma multiplies, in slices of the pixels; conv_weights_sum adds the slices.
//
//   tile: 256 channels of taps (x) x 128 filters (y), in steps of 64 pixels; also 128 x 128 and 256 x 64; two tiles
//   beside each other, of the same channels, are a cluster where there are more than 128 filters
//
// Sources: as the engine's (wgmma_weights.cuh).
//
// Shared memory, bytes, of 256 x 128: stage s of 4 at 49152 s: 256 channels at 0, of 128 filters at 32768
// (16384); two boxes of each warp on their way to the slice at 196608, 2048 each; 8 barriers at 229376;
// 229440 in all. Others: kConvStages (wgmma_conv_row.h).
//
// Requires: sm_90; the weight gradient without groups, 16 channels or more, of FP32 tensors of any steps and alignment;
// strides up to 8, padding up to 127, dilation x (taps - 1) up to about 127 more than the padding. Workspace for one
// image and its gradient, 2 bytes for each element, channels up to multiples of 8, and a copy of the filters, channels
// up to multiples of 64.
//
// Not measured: peak_fraction is that of sm90_wgmma_128x256x64_fp16_weights.
#include "gpu/kernels.h"
#include "wgmma_weights.cuh"
#include "wgmma_weights_row.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x64_bf16_weights(const __grid_constant__ WgmmaMaps maps,
                                       const __grid_constant__ WgmmaConvProblem p) {
  wgmma_weights<WeightsShape<Scheme::bf16, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct Row {
  static constexpr Scheme scheme = Scheme::bf16;
  static constexpr double peak_fraction = 0.93;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x64_bf16_weights<kHalves, kN, kCluster>;
  }
};

}  // namespace

Kernel sm90_wgmma_128x256x64_bf16_weights() {
  return wgmma_weights_kernel<Row>("sm90_wgmma_128x256x64_bf16_weights", LIBSGEMM_MATH_BF16);
}

}  // namespace libsgemm::cuda

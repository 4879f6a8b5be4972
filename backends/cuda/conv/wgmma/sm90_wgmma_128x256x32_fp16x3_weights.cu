// Weight gradients of convolutions with FP32-level error, from three products of fp16 by wgmma (mode fp16x3, sm_90).
// Figures: docs/kernels/convolution.md.
//
// sm90_wgmma_128x256x32_fp32_fast_weights: the same for mode fp32_fast, if the output has at least 256 pixels, and 16
// in each image. If a tensor spans too many powers of two, FP64 computes everything (conv_splits.h).
//
// Launches: wgmma_weights.h. Main loop: wgmma_weights.cuh; sources: wgmma/wgmma_engine.cuh. Shared memory: as in
// sm90_wgmma_128x256x32_fp16x3_conv.cu.
//
// Tile: 256 channels of taps (x) x 128 filters (y), in k-steps of 32 pixels; also 128 x 128 and 256 x 64; with more
// than 128 filters, two neighbouring tiles of the same channels form a cluster
//
// Requires: sm_90, and FP64 tensor cores; the weight gradient without groups; FP32 tensors with any element strides and
// alignment; strides, padding and dilation as in sm90_wgmma_128x256x32_fp16x3_conv.cu. Workspace: the splits of one
// image and of its gradient, 4 bytes for each element, channels rounded up to multiples of 8; and sums of the filters'
// size, channels rounded up to multiples of 64.
#include "gpu/kernels.h"
#include "wgmma_weights.cuh"
#include "wgmma_weights_kernel.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_fp16x3_weights(const __grid_constant__ WgmmaMaps maps,
                                         const __grid_constant__ WgmmaConvProblem p) {
  wgmma_weights<WeightsShape<Scheme::fp16x2, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct DeviceCode {
  static constexpr Scheme scheme = Scheme::fp16x2;
  static constexpr double peak_fraction = 0.7;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x32_fp16x3_weights<kHalves, kN, kCluster>;
  }
};

}  // namespace

KernelList sm90_wgmma_128x256x32_fp16x3_weights() {
  return {wgmma_weights_kernel<DeviceCode>("sm90_wgmma_128x256x32_fp16x3_weights", LIBSGEMM_MATH_FP16X3),
          wgmma_weights_kernel<DeviceCode, true>("sm90_wgmma_128x256x32_fp32_fast_weights", LIBSGEMM_MATH_FP32_FAST)};
}

}  // namespace libsgemm::cuda

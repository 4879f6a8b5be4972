// Convolutions and their data gradients with FP32-level error, from three products of fp16 by wgmma (mode fp16x3,
// sm_90). Figures: docs/kernels/convolution.md.
//
// sm90_wgmma_128x256x32_fp32_fast_conv: the same for mode fp32_fast (conv_splits.h).
//
// Launches: wgmma_conv.h. Main loop: wgmma_conv.cuh; sources: wgmma/wgmma_engine.cuh.
//
//   tile of C: 256 pixels (x) x 128 filters (y); also 128 pixels or 64 filters, if there are few of either; with more
//   than 128 filters, two neighbouring tiles of the same pixels form a cluster
//   +-------------------------+
//   | warpgroup 0: 128 pixels |   two halves of 64 pixels, one after the other: a thread has 64 accumulators of wgmma
//   +-------------------------+   and, for each half, 64 in FP32, to which those are added every 64 k
//   | warpgroup 1: 128 pixels |
//   +-------------------------+   warp 8 copies: pixels by TMA's im2col mode
//
// Shared memory: kConvStages (wgmma_conv_kernel.h) of splits, two boxes of each warp for stores, barriers.
//
// Requires: sm_90, and FP64 tensor cores; no groups; the forward convolution, or a data gradient whose strides are not
// larger than the filter and at most 16 (height x width); FP32 tensors with any element strides and alignment, but the
// element strides of the output decrease from images to rows to columns; strides up to 8, padding up to 127, dilation x
// (taps - 1) up to about 127 more than the padding; fp32_fast: 256 terms or more. Workspace: the splits of the filters
// and of one image, 4 bytes for each element, channels up to multiples of 32 in filters and of 8 in images; 8 bytes for
// each image and 4 for each filter.
#include "gpu/kernels.h"
#include "wgmma_conv.cuh"
#include "wgmma_conv_kernel.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_fp16x3_conv(const __grid_constant__ WgmmaMaps maps,
                                      const __grid_constant__ WgmmaConvProblem p) {
  wgmma_conv<ConvShape<Scheme::fp16x2, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct DeviceCode {
  static constexpr Scheme scheme = Scheme::fp16x2;
  static constexpr double peak_fraction = 0.77;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x32_fp16x3_conv<kHalves, kN, kCluster>;
  }
};

}  // namespace

KernelList sm90_wgmma_128x256x32_fp16x3_conv() {
  return {wgmma_conv_kernel<DeviceCode>("sm90_wgmma_128x256x32_fp16x3_conv", LIBSGEMM_MATH_FP16X3),
          wgmma_conv_kernel<DeviceCode, true>("sm90_wgmma_128x256x32_fp32_fast_conv", LIBSGEMM_MATH_FP32_FAST)};
}

}  // namespace libsgemm::cuda

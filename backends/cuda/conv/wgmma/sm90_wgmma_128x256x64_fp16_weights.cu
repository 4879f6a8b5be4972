// As sm90_wgmma_128x256x32_fp16x3_weights.cu, of images and gradients rounded to fp16 (mode fp16). No mode fp32_fast.
//
//   tile: 256 channels of taps (x) x 128 filters (y), in k-steps of 64 pixels; also 128 x 128 and 256 x 64; with more
//   than 128 filters, two neighbouring tiles of the same channels form a cluster
//
// Shared memory, bytes, for 256 x 128: the same; a stage has 256 channels at 0, 128 filters at 32768.
//
// Requires: the same, except FP64 tensor cores; 16 channels or more. Workspace: 2 bytes for each element instead of 4.
//
// Measured (H100 SXM, CUDA 13.0, 1980 MHz; whole calls, NHWC): 3 x 3 of 128 channels, 16 x 112 x 112, 271 TFLOP/s.
// More: docs/kernels/convolution.md.
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

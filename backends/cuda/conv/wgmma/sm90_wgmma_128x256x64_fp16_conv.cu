// As sm90_wgmma_128x256x32_fp16x3_conv.cu, of images and filters rounded to fp16 (mode fp16), with 128 accumulators of
// wgmma a thread and none in FP32. No mode fp32_fast.
//
// Shared memory, bytes, for 256 x 128: the same; a stage has 64 channels of 256 pixels at 0, of 128 filters at 32768.
//
// Requires: the same, except FP64 tensor cores; 8 channels (in the data gradient: filters) or more. Workspace: the
// filters and one image, 2 bytes for each element, channels up to multiples of 64 in filters and of 8 in images.
//
// Measured (H100 SXM, CUDA 13.0, 1980 MHz; whole calls, NHWC): 3 x 3 of 128 channels, 16 x 112 x 112, 352 TFLOP/s.
// More: docs/kernels/convolution.md.
#include "gpu/kernels.h"
#include "wgmma_conv.cuh"
#include "wgmma_conv_row.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x64_fp16_conv(const __grid_constant__ WgmmaMaps maps,
                                    const __grid_constant__ WgmmaConvProblem p) {
  wgmma_conv<ConvShape<Scheme::fp16, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct Row {
  static constexpr Scheme scheme = Scheme::fp16;
  static constexpr double peak_fraction = 1.0;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x64_fp16_conv<kHalves, kN, kCluster>;
  }
};

}  // namespace

Kernel sm90_wgmma_128x256x64_fp16_conv() {
  return wgmma_conv_kernel<Row>("sm90_wgmma_128x256x64_fp16_conv", LIBSGEMM_MATH_FP16);
}

}  // namespace libsgemm::cuda

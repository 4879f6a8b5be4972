// Convolutions and their data gradients of images and filters rounded to fp16, by wgmma (mode fp16, sm_90).
//
// Launches: conv_survey writes the filters rounded; conv_split writes the images rounded, with neighbouring channels,
// as many as the workspace holds; wgmma multiplies. Then the next images.
//
//   tile of C: 256 pixels (x) x 128 filters (y), or smaller, as in sm90_wgmma_128x256x32_fp16x3_conv, except for the
//   accumulators: 128 of wgmma a thread, none in FP32
//
// Sources: those of the engine (wgmma/wgmma_engine.cuh).
//
// Shared memory, bytes, for 256 x 128: stage s of 4 at 49152 s: 64 channels of 256 pixels at 0, of 128 filters at 32768
// (16384); for stores two boxes of each warp at 196608, 2048 each; 8 barriers at 229376; 229440 in all. Other tiles:
// kConvStages (wgmma_conv_row.h).
//
// Requires: sm_90; what sm90_wgmma_128x256x32_fp16x3_conv requires, except FP64 tensor cores; 8 channels (in the data
// gradient: filters) or more. Workspace: the filters and one image, 2 bytes for each element, channels up to multiples
// of 64 in filters and of 8 in images.
//
// Measured (H100 SXM, CUDA 13.0, 1980 MHz; whole calls, NHWC, TFLOP/s): 3 x 3 of 64 channels, 32 x 56 x 56: 160; of
// 128, 28 x 28: 276; of 256, 14 x 14: 329; of 512, 7 x 7: 247; of 128, 16 x 112 x 112: 352. NCHW, which conv_split
// transposes, with stores that have changed since: 133, 214, 270, 213, 299.
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

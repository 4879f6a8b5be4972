// Convolutions and their data gradients of images and filters rounded to bfloat16, by wgmma (mode bf16, sm_90).
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
// Measured as sm90_wgmma_128x256x64_fp16_conv, which is as fast within 2 %.
#include "gpu/kernels.h"
#include "wgmma_conv.cuh"
#include "wgmma_conv_row.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x64_bf16_conv(const __grid_constant__ WgmmaMaps maps,
                                    const __grid_constant__ WgmmaConvProblem p) {
  wgmma_conv<ConvShape<Scheme::bf16, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct Row {
  static constexpr Scheme scheme = Scheme::bf16;
  static constexpr double peak_fraction = 1.0;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x64_bf16_conv<kHalves, kN, kCluster>;
  }
};

}  // namespace

Kernel sm90_wgmma_128x256x64_bf16_conv() {
  return wgmma_conv_kernel<Row>("sm90_wgmma_128x256x64_bf16_conv", LIBSGEMM_MATH_BF16);
}

}  // namespace libsgemm::cuda

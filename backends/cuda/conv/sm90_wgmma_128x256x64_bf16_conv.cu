// Convolutions, and their data gradients, of images and filters rounded to bfloat16 (mode bf16, sm_90), by wgmma.
//
// Launches: conv_survey writes the filters rounded; conv_split the images, as many as the workspace holds, channels as
// neighbours; the kernel multiplies. Then the next images.
//
//   tile of C: 256 pixels (x) x 128 filters (y), or smaller, as in sm90_wgmma_128x256x32_fp16x3_conv, but for the sums,
//   which stay in the tensor cores: 128 a thread
//
// Sources: as the engine's (wgmma_conv.cuh).
//
// Shared memory, bytes, of 256 x 128: stage s of 4 at 49152 s: 64 channels of 256 pixels at 0, of 128 filters at 32768
// (16384). Two boxes of each warp on their way to C at 196608, 2048 each; 8 barriers at 229376; 229440 in all. Others:
// kConvStages (wgmma_conv_row.h).
//
// Requires: sm_90; otherwise what sm90_wgmma_128x256x32_fp16x3_conv does, but for FP64's tensor cores, and 8 channels
// (of the data gradient: filters) or more. Workspace for the filters and one image, 2 bytes for each element, channels
// up to multiples of 64 in filters and of 8 in images.
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

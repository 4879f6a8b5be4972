// As sm90_wgmma_128x256x32_fp16x3_conv.cu, for images and filters rounded to fp16 (mode fp16): a thread has 128
// accumulators of wgmma and none in FP32, a stage 64 channels. No mode fp32_fast.
//
// Requires: the same, except FP64 tensor cores; 8 channels (in the data gradient: filters) or more. Workspace: the
// filters and one image, 2 bytes for each element, channels up to multiples of 64 in filters and of 8 in images.
#include "gpu/kernels.h"
#include "wgmma_conv.cuh"
#include "wgmma_conv_kernel.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x64_fp16_conv(const __grid_constant__ WgmmaMaps maps,
                                    const __grid_constant__ WgmmaConvProblem p) {
  wgmma_conv<ConvShape<Scheme::fp16, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct DeviceCode {
  static constexpr Scheme scheme = Scheme::fp16;
  static constexpr double peak_fraction = 1.0;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x64_fp16_conv<kHalves, kN, kCluster>;
  }
};

}  // namespace

KernelList sm90_wgmma_128x256x64_fp16_conv() {
  return wgmma_conv_kernel<DeviceCode>("sm90_wgmma_128x256x64_fp16_conv", LIBSGEMM_MATH_FP16);
}

}  // namespace libsgemm::cuda

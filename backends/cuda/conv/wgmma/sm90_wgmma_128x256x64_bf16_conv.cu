// The convolutions of sm90_wgmma_128x256x64_fp16_conv.cu with images and filters rounded to bfloat16 (mode bf16).
#include "gpu/kernels.h"
#include "wgmma_conv.cuh"
#include "wgmma_conv_kernel.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x64_bf16_conv(const __grid_constant__ WgmmaMaps maps,
                                    const __grid_constant__ WgmmaConvProblem p) {
  wgmma_conv<ConvShape<Scheme::bf16, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct DeviceCode {
  static constexpr Scheme scheme = Scheme::bf16;
  static constexpr double peak_fraction = 1.0;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x64_bf16_conv<kHalves, kN, kCluster>;
  }
};

}  // namespace

KernelList sm90_wgmma_128x256x64_bf16_conv() {
  return wgmma_conv_kernel<DeviceCode>("sm90_wgmma_128x256x64_bf16_conv", LIBSGEMM_MATH_BF16);
}

}  // namespace libsgemm::cuda

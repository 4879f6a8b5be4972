// As sm90_wgmma_128x256x32_fp16x3_conv.cu, from six products of bfloat16 (mode bf16x6): 3 splits, 6 bytes for each
// element, no boxes of stores. No mode fp32_fast.
#include "gpu/kernels.h"
#include "wgmma_conv.cuh"
#include "wgmma_conv_kernel.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_bf16x6_conv(const __grid_constant__ WgmmaMaps maps,
                                      const __grid_constant__ WgmmaConvProblem p) {
  wgmma_conv<ConvShape<Scheme::bf16x3, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct DeviceCode {
  static constexpr Scheme scheme = Scheme::bf16x3;
  static constexpr double peak_fraction = 0.77;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x32_bf16x6_conv<kHalves, kN, kCluster>;
  }
};

}  // namespace

KernelList sm90_wgmma_128x256x32_bf16x6_conv() {
  return wgmma_conv_kernel<DeviceCode>("sm90_wgmma_128x256x32_bf16x6_conv", LIBSGEMM_MATH_BF16X6);
}

}  // namespace libsgemm::cuda

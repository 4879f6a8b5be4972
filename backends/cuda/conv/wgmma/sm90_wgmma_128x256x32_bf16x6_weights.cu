// As sm90_wgmma_128x256x32_fp16x3_weights.cu, with the differences of sm90_wgmma_128x256x32_bf16x6_conv.cu.
#include "gpu/kernels.h"
#include "wgmma_weights.cuh"
#include "wgmma_weights_kernel.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_bf16x6_weights(const __grid_constant__ WgmmaMaps maps,
                                         const __grid_constant__ WgmmaConvProblem p) {
  wgmma_weights<WeightsShape<Scheme::bf16x3, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct DeviceCode {
  static constexpr Scheme scheme = Scheme::bf16x3;
  static constexpr double peak_fraction = 0.75;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x32_bf16x6_weights<kHalves, kN, kCluster>;
  }
};

}  // namespace

KernelList sm90_wgmma_128x256x32_bf16x6_weights() {
  return wgmma_weights_kernel<DeviceCode>("sm90_wgmma_128x256x32_bf16x6_weights", LIBSGEMM_MATH_BF16X6);
}

}  // namespace libsgemm::cuda

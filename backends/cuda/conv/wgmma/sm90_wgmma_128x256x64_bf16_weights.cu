// As sm90_wgmma_128x256x64_fp16_weights.cu, rounded to bfloat16 (mode bf16). Not measured.
#include "gpu/kernels.h"
#include "wgmma_weights.cuh"
#include "wgmma_weights_kernel.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x64_bf16_weights(const __grid_constant__ WgmmaMaps maps,
                                       const __grid_constant__ WgmmaConvProblem p) {
  wgmma_weights<WeightsShape<Scheme::bf16, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct DeviceCode {
  static constexpr Scheme scheme = Scheme::bf16;
  static constexpr double peak_fraction = 0.93;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x64_bf16_weights<kHalves, kN, kCluster>;
  }
};

}  // namespace

KernelList sm90_wgmma_128x256x64_bf16_weights() {
  return wgmma_weights_kernel<DeviceCode>("sm90_wgmma_128x256x64_bf16_weights", LIBSGEMM_MATH_BF16);
}

}  // namespace libsgemm::cuda

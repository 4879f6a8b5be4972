// As sm90_wgmma_128x256x32_fp16x3_weights.cu, for images and gradients rounded to fp16 (mode fp16), in k-steps of 64
// pixels. No mode fp32_fast.
//
// Requires: the same, except FP64 tensor cores; 16 channels or more. Workspace: 2 bytes for each element instead of 4.
#include "gpu/kernels.h"
#include "wgmma_weights.cuh"
#include "wgmma_weights_kernel.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x64_fp16_weights(const __grid_constant__ WgmmaMaps maps,
                                       const __grid_constant__ WgmmaConvProblem p) {
  wgmma_weights<WeightsShape<Scheme::fp16, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct DeviceCode {
  static constexpr Scheme scheme = Scheme::fp16;
  static constexpr double peak_fraction = 0.93;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x64_fp16_weights<kHalves, kN, kCluster>;
  }
};

}  // namespace

KernelList sm90_wgmma_128x256x64_fp16_weights() {
  return wgmma_weights_kernel<DeviceCode>("sm90_wgmma_128x256x64_fp16_weights", LIBSGEMM_MATH_FP16);
}

}  // namespace libsgemm::cuda

// As sm90_wgmma_128x256x64_fp16_conv.cu, rounded to TF32 (mode tf32), 4 bytes for each element, channels up to
// multiples of 32 in filters. TMA rounds images with contiguous channels and other strides of multiples of 16 bytes as
// it copies, without conv_split.
#include "gpu/kernels.h"
#include "wgmma_conv.cuh"
#include "wgmma_conv_kernel.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_tf32_conv(const __grid_constant__ WgmmaMaps maps,
                                    const __grid_constant__ WgmmaConvProblem p) {
  wgmma_conv<ConvShape<Scheme::tf32, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct DeviceCode {
  static constexpr Scheme scheme = Scheme::tf32;
  static constexpr double peak_fraction = 0.45;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x32_tf32_conv<kHalves, kN, kCluster>;
  }
};

}  // namespace

KernelList sm90_wgmma_128x256x32_tf32_conv() {
  return wgmma_conv_kernel<DeviceCode>("sm90_wgmma_128x256x32_tf32_conv", LIBSGEMM_MATH_TF32);
}

}  // namespace libsgemm::cuda

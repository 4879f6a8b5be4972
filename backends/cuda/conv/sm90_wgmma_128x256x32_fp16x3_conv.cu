#include "gpu/kernels.h"
#include "wgmma_conv.cuh"
#include "wgmma_conv_row.h"

namespace libsgemm::cuda {
template <int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_fp16x3_conv(const __grid_constant__ WgmmaMaps maps,
                                      const __grid_constant__ WgmmaConvProblem p) {
  wgmma_conv<ConvShape<Number::f16, 2, 4, kN, kCluster>>(maps, p);
}

namespace {

struct Row {
  static constexpr Scheme scheme = Scheme::fp16x2;
  static constexpr double peak_fraction = 0.62;
  template <int kN, int kCluster>
  using Shape = ConvShape<Number::f16, 2, 4, kN, kCluster>;
  template <int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x32_fp16x3_conv<kN, kCluster>;
  }
};

}  // namespace

Kernel sm90_wgmma_128x256x32_fp16x3_conv() {
  return wgmma_conv_kernel<Row>("sm90_wgmma_128x256x32_fp16x3_conv", LIBSGEMM_MATH_FP16X3);
}

Kernel sm90_wgmma_128x256x32_fp32_fast_conv() {
  return wgmma_conv_kernel<Row, true>("sm90_wgmma_128x256x32_fp32_fast_conv", LIBSGEMM_MATH_FP32_FAST);
}

}  // namespace libsgemm::cuda

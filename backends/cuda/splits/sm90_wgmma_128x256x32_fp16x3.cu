// C = alpha op(A) op(B) + beta C of FP32 matrices with FP32-level error, from three products of f16 by wgmma.
#include "gpu/kernels.h"
#include "wgmma_split_row.h"

namespace libsgemm::cuda {

__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_fp16x3(const __grid_constant__ WgmmaMaps maps, const __grid_constant__ WgmmaSplitProblem p) {
  wgmma_product<SplitShape<Number::f16, 2, 4>>(maps, p.product, SplitFinish{p});
}

template <bool kAlongK>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_fp16x3_converting(const __grid_constant__ WgmmaMaps maps,
                                            const __grid_constant__ WgmmaSplitProblem p) {
  wgmma_convert<ConvertShape<Number::f16, 2, 4, kAlongK>>(maps, p);
}

namespace {

struct Row {
  using Shape = SplitShape<Number::f16, 2, 4>;
  static WgmmaSplitKernel kernel() { return &sm90_wgmma_128x256x32_fp16x3; }
  template <bool kAlongK>
  static WgmmaSplitKernel converting_kernel() {
    return &sm90_wgmma_128x256x32_fp16x3_converting<kAlongK>;
  }
  static SplitRow product() { return wgmma_split_row<Row>(Scheme::fp16x2, 0.72); }
};

}  // namespace

Kernel sm90_wgmma_128x256x32_fp16x3() {
  return split_row_kernel<Row>("sm90_wgmma_128x256x32_fp16x3", LIBSGEMM_MATH_FP16X3);
}
Kernel sm90_wgmma_128x256x32_fp32_fast() { return fp32_fast_kernel<Row>("sm90_wgmma_128x256x32_fp32_fast"); }

}  // namespace libsgemm::cuda

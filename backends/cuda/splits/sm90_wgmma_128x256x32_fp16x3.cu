// C = alpha op(A) op(B) + beta C of FP32 matrices with FP32-level error, from three products of f16 by wgmma.
#include "gpu/kernels.h"
#include "wgmma_split.cuh"

namespace libsgemm::cuda {

namespace {

using Shape = SplitShape<Number::f16, 2, 4>;

}  // namespace

__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_fp16x3(const __grid_constant__ WgmmaMaps maps, const __grid_constant__ WgmmaSplitProblem p) {
  wgmma_product<Shape>(maps, p.product, SplitFinish{p});
}

namespace {

struct Row {
  static SplitRow product() { return wgmma_split_row<Shape, sm90_wgmma_128x256x32_fp16x3>(Scheme::fp16x2, 0.72); }
};

}  // namespace

Kernel sm90_wgmma_128x256x32_fp16x3() {
  return split_row_kernel<Row>("sm90_wgmma_128x256x32_fp16x3", LIBSGEMM_MATH_FP16X3);
}
Kernel sm90_wgmma_128x256x32_fp32_fast() { return fp32_fast_kernel<Row>("sm90_wgmma_128x256x32_fp32_fast"); }

}  // namespace libsgemm::cuda

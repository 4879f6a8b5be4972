// C = alpha op(A) op(B) + beta C of FP32 matrices with FP32-level error, from six products of bf16 by wgmma.
#include "gpu/kernels.h"
#include "wgmma_split.cuh"

namespace libsgemm::cuda {

namespace {

using Shape = SplitShape<Number::bf16, 3, 3>;

}  // namespace

__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_bf16x6(const __grid_constant__ WgmmaMaps maps, const __grid_constant__ WgmmaSplitProblem p) {
  wgmma_product<Shape>(maps, p.product, SplitFinish{p});
}

namespace {

struct Row {
  static SplitRow product() { return wgmma_split_row<Shape, sm90_wgmma_128x256x32_bf16x6>(Scheme::bf16x3, 0.72); }
};

}  // namespace

Kernel sm90_wgmma_128x256x32_bf16x6() {
  return split_row_kernel<Row>("sm90_wgmma_128x256x32_bf16x6", LIBSGEMM_MATH_BF16X6);
}

}  // namespace libsgemm::cuda

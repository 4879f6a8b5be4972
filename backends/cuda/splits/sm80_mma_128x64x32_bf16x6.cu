// Like sm80_mma_128x64x32_fp16x3.cu, with six products of bfloat16 (mode bf16x6): A = A0 + A1 + A2, B = B0 + B1 + B2,
// C = A2 B0 + A1 B1 + A0 B2 + A1 B0 + A0 B1 + A0 B0. No mode fp32_fast. 3 stages take 108 KiB of shared memory, too
// much for sm_86, sm_89 and sm_120.
//
// Requires: 6 k bytes of workspace for each row of A and column of B, instead of 4 k.
#include "gpu/kernels.h"
#include "gpu/splits/split_kernel.h"
#include "split_product.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::bf16, 128, 64, 32, 64, 32> {
  static constexpr int splits = 3, stages = 3, blocks = 2;
  static constexpr double peak_fraction = 0.72;
};

}  // namespace

__global__ void __launch_bounds__(Config::threads, Config::blocks)
    sm80_mma_128x64x32_bf16x6(const __grid_constant__ StridedOperands operands,
                              const __grid_constant__ SplitProblem p) {
  split_product<Config>(operands, p);
}

namespace {

struct DeviceCode {
  static SplitProduct product() { return split_product_of<Config, sm80_mma_128x64x32_bf16x6>(Scheme::bf16x3); }
};

}  // namespace

KernelList sm80_mma_128x64x32_bf16x6() {
  return split_product_kernel<DeviceCode>("sm80_mma_128x64x32_bf16x6", LIBSGEMM_MATH_BF16X6);
}

}  // namespace libsgemm::cuda

// As gfx908_mfma_128x128x32_fp16x3.hip, from six products of bfloat16 (mode bf16x6; gfx942, 950): A = A0 + A1 + A2, B =
// B0 + B1 + B2, without the three smallest of the nine products. No mode fp32_fast. 48 KiB of LDS.
//
// Requires: gfx942 or 950; 6 bytes of workspace instead of 4 for each k. Not gfx908 and gfx90a, which multiply bfloat16
// at less than six times the rate of FP32.
#include "gpu/kernels.h"
#include "split_matrix_kernel.h"

namespace libsgemm::hip {

namespace {

struct Config : SplitShape<Type::bf16, 16, 3> {
  static constexpr int blocks = 1;
  static constexpr double peak_fraction = 0.8;  // share of the matrix cores' peak; assumed
#if defined(LIBSGEMM_HIP_MFMA_BF16_1K)
  static constexpr bool available = Core::available;
#else
  static constexpr bool available = false;
#endif
};

}  // namespace

__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)
    gfx942_mfma_128x128x16_bf16x6(const __grid_constant__ StridedOperands operands,
                                  const __grid_constant__ SplitProblem p) {
  if constexpr (Config::available) split_product<Config>(operands, p);
}

namespace {

struct DeviceCode {
  static SplitProduct product() {
    SplitProduct product = split_product_of<Config, gfx942_mfma_128x128x16_bf16x6>(Scheme::bf16x3);
    product.per_clock = [](int index) {
      return device(index).family == Family::cdna3 ? matrix_rate(index, Type::bf16) : 0;
    };
    return product;
  }
};

}  // namespace

KernelList gfx942_mfma_128x128x16_bf16x6() {
  return split_product_kernel<DeviceCode>("gfx942_mfma_128x128x16_bf16x6", LIBSGEMM_MATH_BF16X6);
}

}  // namespace libsgemm::hip

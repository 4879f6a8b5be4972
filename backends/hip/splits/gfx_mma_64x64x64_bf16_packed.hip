// As gfx_mma_64x64x64_fp16_packed.hip, in math mode bf16.
#include "gpu/kernels.h"
#include "gpu/splits/packed_kernel.h"
#include "gpu/splits/splits_pass.h"
#include "hip/tensor/matrix_kernel.h"

namespace libsgemm::hip {

__global__ void __launch_bounds__(kPassThreads) gfx_mma_64x64x64_bf16_packed(const __grid_constant__ PassProblem p) {
  split<Scheme::bf16>(p);
}

namespace {

struct DeviceCode {
  static bool supports(const GemmDesc &desc) { return desc.type == Type::f32; }
  static PackedProduct product(const GemmDesc &) {
    return {[](int index) { return matrix_rate(index, Type::bf16) > 0; }, gfx_mma_64x64x64_bf16_packed,
            [](const GemmDesc &, bool) { return true; }, Type::bf16, LIBSGEMM_MATH_FP32};
  }
};

}  // namespace

KernelList gfx_mma_64x64x64_bf16_packed() {
  return packed_kernel<DeviceCode>("gfx_mma_64x64x64_bf16_packed", LIBSGEMM_MATH_BF16);
}

}  // namespace libsgemm::hip

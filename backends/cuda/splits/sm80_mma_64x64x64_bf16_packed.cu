// C = alpha op(A) op(B) + beta C of FP32 matrices in math mode bf16, otherwise like sm75_mma_64x64x64_fp16_packed.cu.
// Requires sm_80.
#include "gpu/kernels.h"
#include "gpu/splits/packed_kernel.h"
#include "gpu/splits/splits_pass.h"
#include "runtime/device.h"

namespace libsgemm::cuda {

__global__ void __launch_bounds__(kPassThreads) sm80_mma_64x64x64_bf16_packed(const __grid_constant__ PassProblem p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  split<Scheme::bf16>(p);
#endif
}

namespace {

struct DeviceCode {
  static bool supports(const GemmDesc &desc) { return desc.type == Type::f32; }
  static PackedProduct product(const GemmDesc &) {
    return {runs_code_of<80>, sm80_mma_64x64x64_bf16_packed, [](const GemmDesc &, bool) { return true; }, Type::bf16,
            LIBSGEMM_MATH_FP32};
  }
};

}  // namespace

KernelList sm80_mma_64x64x64_bf16_packed() {
  return packed_kernel<DeviceCode>("sm80_mma_64x64x64_bf16_packed", LIBSGEMM_MATH_BF16);
}

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C of FP32 matrices in math mode fp16. A pass (gpu/splits/splits_pass.h) rounds both
// operands to the nearest FP16 numbers, ties to even, and writes them to the workspace, K-major. The cheapest kernel
// for such operands then multiplies them.
//
// Requires: gemm of FP32, single or in strided batches; any size, transposition and alignment; a GPU whose matrix cores
// multiply FP16 numbers without changing them (gfx908, 942, 950, gfx11, gfx12); workspace for panels of k = 256, which
// C accumulates: 2 bytes for each row of A and column of B (rounded up to multiples of 128) and k.
#include "gpu/kernels.h"
#include "gpu/splits/packed_kernel.h"
#include "gpu/splits/splits_pass.h"
#include "hip/tensor/matrix_kernel.h"

namespace libsgemm::hip {

__global__ void __launch_bounds__(kPassThreads) gfx_mma_64x64x64_fp16_packed(const __grid_constant__ PassProblem p) {
#if !defined(__gfx90a__)  // no such mode, and clang 15 keeps FP16 numbers in scratch for it
  split<Scheme::fp16>(p);
#else
  (void)p;
#endif
}

namespace {

struct DeviceCode {
  static bool supports(const GemmDesc &desc) { return desc.type == Type::f32; }
  static PackedProduct product(const GemmDesc &) {
    return {[](int index) { return matrix_rate(index, Type::f16) > 0; }, gfx_mma_64x64x64_fp16_packed,
            [](const GemmDesc &, bool) { return true; }, Type::f16, LIBSGEMM_MATH_FP32};
  }
};

}  // namespace

KernelList gfx_mma_64x64x64_fp16_packed() {
  return packed_kernel<DeviceCode>("gfx_mma_64x64x64_fp16_packed", LIBSGEMM_MATH_FP16);
}

}  // namespace libsgemm::hip

// C = alpha op(A) op(B) + beta C of FP32 matrices in math mode fp16, rounded to the nearest fp16 numbers in a pass
// (docs/kernels/mma.md). Figures: docs/kernels/splits.md.
//
// Requires: gemm of FP32, single or in strided batches; sm_75; workspace for panels of k = 256, which C accumulates: 2
// k bytes for each row of A and column of B, whose numbers are rounded up to multiples of 128. Any size, transposition
// and alignment.
#include "gpu/kernels.h"
#include "gpu/splits/packed_kernel.h"
#include "gpu/splits/splits_pass.h"
#include "runtime/device.h"

namespace libsgemm::cuda {

__global__ void __launch_bounds__(kPassThreads) sm75_mma_64x64x64_fp16_packed(const __grid_constant__ PassProblem p) {
  split<Scheme::fp16>(p);
}

namespace {

struct DeviceCode {
  static bool supports(const GemmDesc &desc) { return desc.type == Type::f32; }
  static PackedProduct product(const GemmDesc &) {
    return {runs_code_of<75>, sm75_mma_64x64x64_fp16_packed, [](const GemmDesc &, bool) { return true; }, Type::f16,
            LIBSGEMM_MATH_FP32};
  }
};

}  // namespace

KernelList sm75_mma_64x64x64_fp16_packed() {
  return packed_kernel<DeviceCode>("sm75_mma_64x64x64_fp16_packed", LIBSGEMM_MATH_FP16);
}

}  // namespace libsgemm::cuda

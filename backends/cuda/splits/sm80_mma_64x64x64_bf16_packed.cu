// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode bf16. The kernel here rounds both operands to the
// nearest bfloat16 numbers, ties to even, and writes them to the workspace along k; the cheapest kernel for such
// operands multiplies them there.
//
//   pass: block of 256 threads, 64 rows of an operand x 64 k, described in splits_pass.h
//
// Shared memory, bytes: the block to transpose, 64 rows of 65 words, 16640. The product's is that of its kernel.
//
// Requires: gemm of FP32, single or in strided batches; sm_80; workspace for panels of k = 256: 2 k bytes for each row
// of A and column of B, whose numbers are rounded up to multiples of 128. A product that does not fit the workspace is
// multiplied in panels, which C accumulates. Any size, transposition and alignment.
//
// Parameters: kSplitTile and kPassThreads (splits.h).
//
// Measured (H100, 1755 to 1980 MHz, TFLOP/s, passes included; in brackets cuBLAS 13.1 in FP32 in the same run): NN 1024
// 94, 4096 370, 8192 429 (35, 52, 52).
#include "gpu/kernels.h"
#include "gpu/splits/packed_row.h"
#include "gpu/splits/splits_pass.h"
#include "runtime/device.h"

namespace libsgemm::cuda {

__global__ void __launch_bounds__(kPassThreads) sm80_mma_64x64x64_bf16_packed(const __grid_constant__ PassProblem p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  split<Scheme::bf16>(p);
#endif
}

namespace {

struct Row {
  static bool supports(const GemmDesc &desc) { return desc.type == Type::f32; }
  static PackedProduct product(const GemmDesc &) {
    return {runs_code_of<80>, sm80_mma_64x64x64_bf16_packed, [](const GemmDesc &, bool) { return true; }, Type::bf16,
            LIBSGEMM_MATH_FP32};
  }
};

}  // namespace

Kernel sm80_mma_64x64x64_bf16_packed() {
  return packed_kernel<Row>("sm80_mma_64x64x64_bf16_packed", LIBSGEMM_MATH_BF16);
}

}  // namespace libsgemm::cuda

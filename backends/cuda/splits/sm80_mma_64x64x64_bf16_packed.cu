// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode bf16: both operands are rounded to the nearest
// bfloat16 numbers, ties to even, and written to the workspace along k, from where the cheapest row for such operands
// multiplies them.
//
//   pass: block of 256 threads, 64 rows of an operand x 64 steps of k, described in splits_pass.h
//
// Shared memory, bytes: the block to transpose, 64 rows of 65 words, 16640. The product's are its row's.
//
// Requires: gemm of FP32, single or in strided batches; sm_80; workspace for panels of 256 steps of k: 2 bytes for each
// row of A and column of B (up to multiples of 128) and step. What the workspace does not hold at once is multiplied in
// panels, which C accumulates. Any size, transposition and alignment.
//
// Parameters: kSplitTile and kPassThreads (splits.h).
//
// Measured (H100, 1755 to 1980 MHz, TFLOP/s, passes included; cuBLAS 13.1 in the same run in brackets): NN 1024
// 94, 4096 370, 8192 429 (FP32: 35, 52, 52).
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

// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode tf32: operands that do not lie along k, or do not
// start at multiples of 16 bytes, are copied to the workspace so, from where the cheapest row for such operands rounds
// and multiplies them.
//
//   pass: block of 256 threads, 64 rows of an operand x 64 steps of k, described in planes.cuh
//
// Shared memory, bytes: the block to transpose, 64 rows of 65 words, 16640. The product's are its row's.
//
// Requires: gemm of FP32, single or in strided batches, with an operand to copy; sm_80; workspace for panels of 256
// steps of k: 4 bytes for each row of A and column of B (up to multiples of 128) that is copied, and step. What the
// workspace does not hold at once is multiplied in panels, which C accumulates. Any size, transposition and alignment.
//
// Parameters: kSplitTile and kPassThreads (planes.h).
//
// Measured (H100, 1755 to 1980 MHz, TFLOP/s, passes included; cuBLAS 13.1 in the same run in brackets): NN 4096
// 168, 8192 178; NT 158, 170 (TF32: 396, 403; 257, 268).
#include "gpu/kernels.h"
#include "packed_row.h"
#include "planes.cuh"
#include "tensor_row.h"

namespace libsgemm::cuda {

__global__ void __launch_bounds__(kPassThreads) sm80_mma_64x64x64_tf32_packed(const __grid_constant__ PassProblem p) {
  split<Scheme::copy, uint32_t>(p);
}

namespace {

struct Row {
  static bool packs(const GemmDesc &desc, bool of_a) {
    return of_a ? !along_k_a(desc) || !chunks_fit_a(desc) : !along_k_b(desc) || !chunks_fit_b(desc);
  }
  static bool supports(const GemmDesc &desc) {
    return desc.type == Type::f32 && (packs(desc, true) || packs(desc, false));
  }
  static PackedProduct product(const GemmDesc &) {
    return {80, sm80_mma_64x64x64_tf32_packed, packs, Type::f32, LIBSGEMM_MATH_TF32};
  }
};

}  // namespace

Kernel sm80_mma_64x64x64_tf32_packed() {
  return packed_kernel<Row>("sm80_mma_64x64x64_tf32_packed", LIBSGEMM_MATH_TF32);
}

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C of 16-bit matrices, where an operand does not start at multiples of 16 bytes in every
// column: such operands are copied to the workspace, along k and aligned, from where the cheapest row for those
// multiplies them.
//
// The rows for any alignment fetch such operands element by element, for each tile again; a copy is cheaper from a few
// hundred rows and columns on.
//
//   pass: block of 256 threads, 64 rows of an operand x 64 steps of k, described in splits_pass.h
//
// Shared memory, bytes: the block to transpose, 64 rows of 65 words, 16640. The product's are its row's.
//
// Requires: gemm of FP16 (sm_75) or bfloat16 (sm_80) operands, single or in strided batches, with an operand to copy;
// workspace for panels of 256 steps of k: 2 bytes for each row of A and column of B (up to multiples of 128) that is
// copied, and step. What the workspace does not hold at once is multiplied in panels, which C accumulates. Any size,
// transposition and alignment.
//
// Parameters: kSplitTile and kPassThreads (splits.h).
//
// Measured (H100, 1755 to 1980 MHz, TFLOP/s, passes included; cuBLAS 13.1 in the same run in brackets): FP16
// 1023 x 1023 x 1023 72 to 76 (69 to 77), 4095 x 4095 x 4095 323 (125 to 153).
#include "figures/figures.h"
#include "gpu/kernels.h"
#include "gpu/splits/packed_row.h"
#include "gpu/splits/splits_pass.h"
#include "runtime/device.h"
#include "tensor/tensor_row.h"

namespace libsgemm::cuda {

__global__ void __launch_bounds__(kPassThreads) sm75_mma_64x64x64_packed(const __grid_constant__ PassProblem p) {
  split<Scheme::copy, uint16_t>(p);
}

namespace {

struct Row {
  static bool packs(const GemmDesc &desc, bool of_a) { return of_a ? !chunks_fit_a(desc) : !chunks_fit_b(desc); }
  static bool supports(const GemmDesc &desc) {
    return desc.type != Type::f32 && (packs(desc, true) || packs(desc, false));
  }
  static PackedProduct product(const GemmDesc &desc) {
    return {desc.type == Type::f16 ? runs_code_of<75> : runs_code_of<80>,
            sm75_mma_64x64x64_packed,
            packs,
            desc.type,
            LIBSGEMM_MATH_FP32,
            nullptr,
            [](int index) { return fitted_share(device(index).arch, Shared::packed_copies); }};
  }
};

}  // namespace

Kernel sm75_mma_64x64x64_packed() { return packed_kernel<Row>("sm75_mma_64x64x64_packed", LIBSGEMM_MATH_FP32); }

}  // namespace libsgemm::cuda

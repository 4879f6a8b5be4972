// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode tf32 on sm_90, by wgmma. Main loop and sources:
// wgmma_engine.cuh.
//
// wgmma truncates the bits of TF32 operands that it does not use. So TMA rounds to the nearest TF32 number, ties to
// even, as it copies. wgmma reads TF32 only K-major. One MN-major operand goes through registers; it is x, so C is
// computed transposed if it is A. If both are MN-major, a pass (gpu/splits/splits_pass.h) first writes the smaller one
// to the workspace, K-major and rounded. The pass also writes an operand that TMA cannot read.
//
//   tile of C: 256 x 128, as in sm90_wgmma_256x128x64; 128 x 256 if A is MN-major. An instruction takes 8 k.
//
// Shared memory, bytes: stage s of 4 at 49152 s: x at 0 (128 rows of 32 numbers; or 4 blocks of 32 rows, 32 k each), y
// at 16384 (256 rows); then 32768 of boxes in flight to C and 64 of barriers. 229440 in all.
//
// Requires: gemm of FP32, single or in strided batches, any size, transposition and alignment; code for sm_90a; for
// operands that the pass writes, a workspace of 4 bytes for each k of each row of A and column of B, both rounded up to
// multiples of 128. In a smaller workspace (at least 256 k) the product is computed in panels of k, which C
// accumulates.
//
// Measured (H100, limited by power, pass included): 4096 NN 371 TFLOP/s, 1.02 times cuBLAS 13.1. More:
// docs/kernels/wgmma.md.
#include "tf32_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_PACKED_ROW(sm90_wgmma_256x128x32_packed, 256, 4, 2)

}  // namespace libsgemm::cuda

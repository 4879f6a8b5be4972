// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode tf32 on sm_90, by warpgroup instructions. These read
// TF32 from shared memory only K-major, and truncate the bits that they do not use; unrounded, that doubled the error.
// So TMA rounds to the nearest TF32 number, ties to even, as it copies. One MN-major operand may go through registers:
// it is the engine's x, so C is computed transposed if that operand is A. If both are MN-major, a pass first writes the
// smaller one to the workspace, K-major and rounded. It does the same for an operand that TMA cannot read.
//
//   pass: block of 256 threads, 64 rows of an operand x 64 k, described in gpu/splits/splits_pass.h
//
//   tile of C: 256 x 128, as in sm90_wgmma_256x128x64; 128 x 256 if A is MN-major. An instruction takes 8 k.
//
// Sources: as the engine's (wgmma_engine.cuh).
//
// Shared memory, bytes: stage s of 4 at 49152 s: x at 0 (128 rows of 32 numbers; or 4 blocks of 32 rows, 32 k each), y
// at 16384 (256 rows); then 32768 of boxes in flight to C and 64 of barriers. 229440 in all.
//
// Requires: gemm of FP32, single or in strided batches; code for sm_90a; workspace for panels of 256 k of the operands
// that the pass writes: 4 bytes for each k of each row of A and column of B, both rounded up to multiples of 128. If
// the workspace does not hold all of k, the product is computed in panels, which C accumulates. Any size, transposition
// and alignment.
//
// Parameters of LIBSGEMM_WGMMA_PACKED_ROW: N, stages, blocks of a cluster.
//
// Measured (H100 SXM at 1500 to 1980 MHz, limited by power; TFLOP/s, pass included; in brackets the time of cuBLAS 13.1
// in TF32 over ours in the same run; docs/results/math-modes.csv): 2048 NN 357 (1.04), NT 284 (1.27), TN 361 (1.04), TT
// 350 (1.05); 4096 NN 371 (1.02), NT 350 (1.45), TN 374 (1.01), TT 374 (1.03); 8192 368 to 386 (1.02, 1.60, 1.04,
// 1.12); 4095, where the pass writes both operands, 297 (2.2 to 2.5). With a pass instead of registers, NN and TT were
// a tenth slower at 4096, a fifth at 2048.
#include "tf32_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_PACKED_ROW(sm90_wgmma_256x128x32_packed, 256, 4, 2)

}  // namespace libsgemm::cuda

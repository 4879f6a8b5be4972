// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode tf32 on sm_90, by warpgroup instructions. They read
// TF32 in shared memory along k only, and cut off what they do not use (bits that nobody rounded doubled the error). So
// TMA rounds to the nearest TF32 numbers as it copies, ties to even. One operand along its outer side goes through
// registers: it is x of the engine, so that C is computed transposed where it is A. Of two such the smaller one, and
// what TMA cannot take, is first written to the workspace along k, rounded as well.
//
//   pass: block of 256 threads, 64 rows of an operand x 64 steps of k, described in gpu/splits/splits_pass.h
//
//   tile of C: 256 x 128, as in sm90_wgmma_256x128x64; 128 x 256 where A lies along m. An instruction takes 8 steps of
//   k.
//
// Sources: as the engine's (wgmma_engine.cuh).
//
// Shared memory, bytes: stage s of 4 at 49152 s: x at 0 (128 rows of 32 numbers; or 4 blocks of 32 rows, 32 steps of k
// each), y at 16384 (256 rows); then 32768 of boxes on their way to C and 64 of barriers. 229440 in all.
//
// Requires: gemm of FP32, single or in strided batches; code for sm_90a; workspace for panels of 256 steps of k of what
// is written: 4 bytes for each row of A and column of B (up to multiples of 128) and step. What the workspace does not
// hold at once is multiplied in panels, which C accumulates. Any size, transposition and alignment.
//
// Parameters of LIBSGEMM_WGMMA_PACKED_ROW: N, stages, blocks of a cluster.
//
// Measured (H100 SXM at 1500 to 1980 MHz, limited by power; TFLOP/s, pass included; in brackets the time of cuBLAS 13.1
// in TF32 over ours in the same run; docs/results/math-modes.csv): 2048 NN 357 (1.04), NT 284 (1.27), TN 361 (1.04),
// TT 350 (1.05); 4096 NN 371 (1.02), NT 350 (1.45), TN 374 (1.01), TT 374 (1.03); 8192 368 to 386 (1.02, 1.60, 1.04,
// 1.12); 4095, where both are written anew, 297 (2.2 to 2.5). With a pass instead of registers NN and TT were a tenth
// slower at 4096, a fifth at 2048.
#include "tf32_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_PACKED_ROW(sm90_wgmma_256x128x32_packed, 256, 4, 2)

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C of 16-bit matrices on sm_90 by warpgroup instructions: for small C, and C of few rows
// or columns.
//
// sm90_wgmma_64x128x64_split_k: the same kernel with k in slices, whose sums meet in the workspace.
//
// Everything is in wgmma_engine.cuh: who copies, multiplies and stores, and how tiles follow one another.
//
//   tile of C: 64 x 128, or 128 x 64 where that takes fewer tiles
//
//   y, 64          (m, or n where C is taken transposed)
//   +-------------------------+
//   | warpgroup 0             |  64 of x       a warp: 16 rows of x; a thread 32 sums, pairs along y
//   +-------------------------+
//   | warpgroup 1             |  64
//   +-------------------------+
//   warpgroup 2: one lane copies                Single blocks.
//
// Sources: as the engine's.
//
// Shared memory, bytes: stage s of 8 at 24576 s: x at 0, 16384; y at 16384, 8192; behind the stages
// 32768 of boxes on their way to C, then 128 of barriers. At most 229504 in all.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches, whose columns and products all start at
// multiples of 16 bytes; code for sm_90a. Any size and transposition.
//
// Parameters of LIBSGEMM_WGMMA_ROW: N, stages, blocks of a cluster.
//
// Measured (H100 SXM at 1965 MHz, TFLOP/s, cuBLAS 13.1 in the same run in brackets): FP16 NN 1024 283 (268), 512 55
// (33); split, 64 x 64 x 65536 43 (37). In pairs of blocks 1024 206.
#include "gpu/kernels.h"
#include "wgmma_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_ROW(sm90_wgmma_64x128x64, 64, 8, 1)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_64x128x64_split_k)

}  // namespace libsgemm::cuda

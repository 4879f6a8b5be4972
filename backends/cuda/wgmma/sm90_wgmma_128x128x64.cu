// C = alpha op(A) op(B) + beta C of 16-bit matrices on sm_90 by warpgroup instructions: for medium C.
//
// sm90_wgmma_128x128x64_split_k: the same kernel with k in slices, whose sums meet in the workspace.
// sm90_wgmma_128x128x64_triangle: the same kernel over the tiles of a triangle of op(A) op(A)^T (SYRK of 16-bit
// inputs).
//
// Everything is in wgmma_engine.cuh: who copies, multiplies and stores, and how tiles follow one another.
//
//   tile of C: 128 x 128, or 128 x 128 where that takes fewer tiles
//
//   y, 128          (m, or n where C is taken transposed)
//   +-------------------------+
//   | warpgroup 0             |  64 of x       a warp: 16 rows of x; a thread 64 sums, pairs along y
//   +-------------------------+
//   | warpgroup 1             |  64
//   +-------------------------+
//   warpgroup 2: one lane copies                Pairs of blocks, but for small products.
//
// Sources: as the engine's.
//
// Shared memory, bytes: stage s of 6 at 32768 s: x at 0, 16384; y at 16384, 16384; behind the stages
// 32768 of boxes on their way to C, then 96 of barriers. At most 229472 in all.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches, whose columns and products all start at
// multiples of 16 bytes; code for sm_90a. Any size and transposition.
//
// Parameters of LIBSGEMM_WGMMA_ROW: N, stages, blocks of a cluster.
//
// Measured (H100 SXM at 1965 MHz, TFLOP/s, cuBLAS 13.1 in the same run in brackets): FP16 NN 2048 558 (607), 1024 186
// (180); split, 512 x 512 x 16384 308 (389). Triangle, 4096: 1062 NN, 1111 TN of a whole product's operations a second.
// Slices of k in a cluster of 2 to 8 blocks that met in shared memory: 214 at 512 x 512 x 16384, 200 at 1024; not kept.
#include "gpu/kernels.h"
#include "wgmma_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_ROW(sm90_wgmma_128x128x64, 128, 6, 2)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_128x128x64_split_k)
Kernel sm90_wgmma_128x128x64_triangle() { return wgmma_triangle_kernel<Row, 1>("sm90_wgmma_128x128x64_triangle"); }

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C of 16-bit matrices on sm_90 by warpgroup instructions: the widest tile, for large C.
//
// sm90_wgmma_256x128x64_triangle: the same kernel over the tiles of a triangle of op(A) op(A)^T (SYRK of 16-bit
// inputs).
//
// Everything is in wgmma_engine.cuh: who copies, multiplies and stores, and how tiles follow one another.
//
//   tile of C: 256 x 128, or 128 x 256 where that takes fewer tiles
//
//   y, 256          (m, or n where C is taken transposed)
//   +-------------------------+
//   | warpgroup 0             |  64 of x       a warp: 16 rows of x; a thread 128 sums, pairs along y
//   +-------------------------+
//   | warpgroup 1             |  64
//   +-------------------------+
//   warpgroup 2: one lane copies                Pairs of blocks, but for small products.
//
// Sources: as the engine's.
//
// Shared memory, bytes: stage s of 4 at 49152 s: x at 0, 16384; y at 16384, 32768; behind the stages
// 32768 of boxes on their way to C, then 64 of barriers. At most 229440 in all.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches, whose columns and products all start at
// multiples of 16 bytes; code for sm_90a. Any size and transposition.
//
// Parameters of LIBSGEMM_WGMMA_ROW: N, stages, blocks of a cluster.
//
// Measured (H100 SXM, 1965 MHz, limited by power at 4096 and 8192; TFLOP/s, cuBLAS 13.1 in the same run in brackets):
// FP16 NN 2048 620 (609), 4096 717 (717), 8192 726 (704); TN 4096 721 (718), 8192 697 (683); bfloat16 NN 8192 766
// (756). Without pairs of blocks 4096 682, 8192 668. With sums stored by the threads, not by TMA, 4096 697 (721); where
// a grid starts only after the one before has ended, 2048 589 (603). Arrivals at the other block as releases (a fence
// of all memory each) halved the speed. Triangle, 8192: 1427 of a whole product's operations a second.
#include "gpu/kernels.h"
#include "wgmma_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_ROW(sm90_wgmma_256x128x64, 256, 4, 2)
Kernel sm90_wgmma_256x128x64_triangle() { return wgmma_triangle_kernel<Row, 2>("sm90_wgmma_256x128x64_triangle"); }

}  // namespace libsgemm::cuda

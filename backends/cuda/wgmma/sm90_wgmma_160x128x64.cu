// C = alpha op(A) op(B) + beta C of 16-bit matrices on sm_90 by warpgroup instructions: for C whose tiles of 256 or 192
// leave many multiprocessors idle.
//
// sm90_wgmma_160x128x64_split_k: the same kernel with k in slices, whose sums meet in the workspace.
//
// Everything is in wgmma_engine.cuh: who copies, multiplies and stores, and how tiles follow one another.
//
//   tile of C: 160 x 128, or 128 x 160 where that takes fewer tiles
//
//   y, 160          (m, or n where C is taken transposed)
//   +-------------------------+
//   | warpgroup 0             |  64 of x       a warp: 16 rows of x; a thread 80 sums, pairs along y
//   +-------------------------+
//   | warpgroup 1             |  64
//   +-------------------------+
//   warpgroup 2: one lane copies                Pairs of blocks, but for small products.
//
// Sources: as the engine's.
//
// Shared memory, bytes: stage s of 4 at 40960 s: x at 0, 16384; y at 16384, 20480 (24576 along the outer side); behind
// the stages 32768 of boxes on their way to C, then 64 of barriers. At most 196672 in all.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches, whose columns and products all start at
// multiples of 16 bytes; code for sm_90a. Any size and transposition.
//
// Parameters of LIBSGEMM_WGMMA_ROW: N, stages, blocks of a cluster.
//
// Not measured by itself.
#include "gpu/kernels.h"
#include "wgmma_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_ROW(sm90_wgmma_160x128x64, 160, 4, 2)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_160x128x64_split_k)

}  // namespace libsgemm::cuda

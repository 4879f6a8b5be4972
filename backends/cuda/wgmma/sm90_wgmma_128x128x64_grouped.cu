// Groups of products of different sizes, C = alpha op(A) op(B) + beta C each, of 16-bit matrices in one launch on sm_90
// by warpgroup instructions: for groups of which many are of medium size.
//
// The table of products is described in wgmma_grouped.h, and how a block finds those of its tiles in
// wgmma_grouped.cuh. All else is in wgmma_engine.cuh, as of sm90_wgmma_256x128x64.cu. In a file, and so a module, of
// its own: drivers before 530 refuse one in which a kernel has more than 4 KiB of parameters.
//
//   pair of blocks: 128 of m x 256 of n, or the other way round where that takes fewer tiles for all products of a
//   launch
//
//   y, 128          (m, or n where C is taken transposed)
//   +-------------------------+
//   | block 0, warpgroup 0    |  64 of x       a warp: 16 rows of x; a thread 64 sums, pairs along y
//   |          warpgroup 1    |  64
//   +-------------------------+
//   | block 1, warpgroup 0    |  64            Of y's tile each block copies a half to both.
//   |          warpgroup 1    |  64
//   +-------------------------+
//   warpgroup 2 of each: one lane copies
//
// Sources: as the engine's.
//
// Shared memory, bytes: stage s of 6 at 32768 s: x at 0, 16384; y at 16384, 16384; behind the stages
// 32768 of boxes on their way to C, then 96 of barriers. At most 229472 in all.
//
// Requires: gemm of FP16 or bfloat16 operands whose columns and products all start at multiples of 16 bytes; code for
// sm_90a; a driver of CUDA 12.1. Any sizes and transpositions; groups whose arrays of pointers are in host memory. One
// launch for 65 products of the same transpositions; those of a group that lie at strides count as one.
//
// Parameters of LIBSGEMM_WGMMA_GROUPED_ROW: N, stages, blocks of a cluster.
//
// Not yet measured: its figures are those of the row for single products with such tiles, when it had a kernel.
#include "gpu/kernels.h"
#include "wgmma_grouped_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_GROUPED_ROW(sm90_wgmma_128x128x64_grouped, 128, 6, 2)

}  // namespace libsgemm::cuda

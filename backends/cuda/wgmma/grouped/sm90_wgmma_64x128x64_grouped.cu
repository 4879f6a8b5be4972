// Groups of products of different sizes, each C = alpha op(A) op(B) + beta C, of 16-bit matrices on sm_90, in one
// launch by warpgroup instructions. For groups of few rows or columns.
//
// wgmma_grouped.h describes the table of products, and wgmma_grouped.cuh how a block finds the product of a tile. The
// rest is in wgmma_engine.cuh, as for sm90_wgmma_256x128x64.cu. The kernel has a file of its own, and so a module of
// its own: drivers before 530 refuse a module in which a kernel has more than 4 KiB of parameters.
//
//   tile of C: 64 of m x 128 of n, or the other way round where that takes fewer tiles for all products of a launch
//
//   y, 64           (m, or n where C is taken transposed)
//   +-------------------------+
//   | warpgroup 0             |  64 of x       a warp: 16 rows of x; a thread: 32 accumulators, pairs along y
//   +-------------------------+
//   | warpgroup 1             |  64
//   +-------------------------+
//   warpgroup 2: one lane copies                No clusters: pairs slow the kernel for single products.
//
// Sources: as the engine's.
//
// Shared memory, bytes: stage s of 8 at 24576 s: x at 0, 16384; y at 16384, 8192; after the stages 32768 of boxes in
// flight to C, then 128 of barriers. At most 229504 in all.
//
// Requires: gemm of FP16 or bfloat16 operands whose columns and products all start at multiples of 16 bytes; code for
// sm_90a; a driver of CUDA 12.1; arrays of pointers in host memory. Any sizes and transpositions. One launch takes 65
// products of the same transpositions; products of a group at constant strides count as one.
//
// Parameters of LIBSGEMM_WGMMA_GROUPED_ROW: N, stages, blocks of a cluster.
//
// Not yet measured: its figures are those of single products with such tiles, from when these had a kernel of their
// own.
#include "gpu/kernels.h"
#include "wgmma_grouped_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_GROUPED_ROW(sm90_wgmma_64x128x64_grouped, 64, 8, 1)

}  // namespace libsgemm::cuda

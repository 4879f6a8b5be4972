// C = alpha op(A) op(B) + beta C of FP32 matrices, accumulated in FP64 on the FP64 tensor cores of an H100 or H200.
// Every element is rounded once. For C of few rows.
//
// sm90_dmma_32x128x32_split_k: the same kernel with split-K. split_k_sum_fp64() adds the slices in order.
//
// dmma_multistage.cuh describes the loop, dmma.cuh a warp's part.
//
//   tile of C: 32 x 128
//   +--------+--------+--------+--------+   warp: 32 x 32 = 4 x 2 instructions of 8 x 16 (k 16)
//   | warp 0 | warp 1 | warp 2 | warp 3 |
//   +--------+--------+--------+--------+   three blocks per multiprocessor
//
// Shared memory, bytes: stage s of 3 at 22528 s: A at 0 (32 k x 40 floats), B at 5120 (32 x 136). Operands that are
// contiguous along k: 32 and 128 rows of 36 floats, and stages of up to 23552 bytes.
//
// Requires: gemm of FP32; sm_90; any transposition, alignment, size and batch; split_k: no arrays of pointers; a k for
// which more than one slice pays; a workspace of 8 * slices * (m rounded up to a multiple of 4) * n bytes per product,
// at most 32 MiB.
//
// Measured (H200, driver 580, CUDA 13.0): of 180 random shapes (seed 1), 54 were fastest with the tiles of 32 x 128, of
// 128 x 32, or of 32 x 32 with split-K. The figures are fitted to those shapes.
#include "dmma_row.h"
#include "sm90_dmma_32x128x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma32x128x32;

}  // namespace

LIBSGEMM_DMMA_ROW(sm90_dmma_32x128x32_multistage)

Kernel sm90_dmma_32x128x32_split_k() { return dmma_split_kernel<Row>("sm90_dmma_32x128x32_split_k"); }

}  // namespace libsgemm::cuda

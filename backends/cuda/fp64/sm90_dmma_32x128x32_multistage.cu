// C = alpha op(A) op(B) + beta C with sums in FP64 on the FP64 tensor cores of an H100 or H200: FP32's inputs and
// output, every element rounded once. For C of few rows.
//
// sm90_dmma_32x128x32_split_k: the same kernel on slices of k, whose sums split_k_sum_fp64() adds in their order.
//
// The loop is described in dmma_multistage.cuh, the warp's part in dmma.cuh.
//
//   tile of C: 32 x 128
//   +--------+--------+--------+--------+   warp: 32 x 32 = 4 x 2 instructions of 8 x 16 (k 16)
//   | warp 0 | warp 1 | warp 2 | warp 3 |
//   +--------+--------+--------+--------+   three blocks a multiprocessor
//
// Shared memory, bytes: stage s of 3 at 22528 s: A at 0 (32 steps of k, 40 floats each), B at 5120 (32 of 136).
// Operands along k: 32 and 128 rows of 36 floats, stages of up to 23552.
//
// Requires: gemm of FP32; sm_90; any transposition, alignment, size and batch; split_k: no array of pointers, more than
// one slice worth its sum, a workspace of 8 slices ceil(m, 4) n bytes a product, at most 32 MiB.
//
// Measured (H200, driver 580, CUDA 13.0): on 180 random shapes the rows of 32 x 128, 128 x 32 and the split of 32 x 32
// were the fastest of all on 54. Figures fitted on those (seed 1).
#include "dmma_row.h"
#include "sm90_dmma_32x128x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma32x128x32;

}  // namespace

LIBSGEMM_DMMA_ROW(sm90_dmma_32x128x32_multistage)

Kernel sm90_dmma_32x128x32_split_k() { return dmma_split_kernel<Row>("sm90_dmma_32x128x32_split_k"); }

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C of FP32 matrices, accumulated in FP64 on the FP64 tensor cores of an H100 or H200.
// Every element is rounded once. For small C.
//
// sm90_dmma_32x32x64_split_k: the same kernel with split-K. split_k_sum_fp64() adds the slices in order.
//
// sm90_dmma_32x32x64_triangle, sm90_dmma_32x32x64_triangle_split_k: syrk, syr2k and gemmtr, over the tiles of the
// triangle (dmma_triangle.cuh).
//
// sm90_dmma_32x32x64_trmm: trmm, from a copy of C; sm90_dmma_32x32x64_symm: symm (dmma_one_sided.cuh).
//
// dmma_multistage.cuh describes the loop, dmma.cuh a warp's part.
//
//   tile of C: 32 x 32            warp: 16 x 16 = 2 x 1 instructions of 8 x 16 (k 16)
//   +--------+--------+
//   | warp 0 | warp 2 |           three blocks per multiprocessor
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 3 at 20480 s: A at 0 (64 k x 40 floats), B at 10240 likewise. Operands that are
// contiguous along k: 32 rows of 68 floats, and stages of 17408 if both are.
//
// Requires: gemm of FP32, or a routine that writes a triangle; sm_90; any transposition, alignment, size and batch;
// split_k: no arrays of pointers; a k for which more than one slice pays; a workspace of 8 * slices * (m rounded up to
// a multiple of 4) * n bytes per product, at most 32 MiB.
//
// Measured (H200 at 1980 MHz, driver 580, CUDA 13.0, TFLOP/s; NN, NT, TN, TT): 1024 42, 42, 38, 43; 4096 51, 50, 48,
// 52; 4095, by elements, 40, 39, 40, 40. cuBLAS 13.1 at 1024 35, 39, 34, 36. The kernel is for few tiles: a call of
// 32 x 32 x 25 takes 3.5 us, 0.5 more than with FFMA tiles of the same size.
#include "dmma_one_sided.cuh"
#include "dmma_one_sided_row.h"
#include "dmma_triangle.cuh"
#include "dmma_triangle_row.h"
#include "sm90_dmma_32x32x64.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma32x32x64;

}  // namespace

LIBSGEMM_DMMA_ROW(sm90_dmma_32x32x64_multistage)

Kernel sm90_dmma_32x32x64_split_k() { return dmma_split_kernel<Row>("sm90_dmma_32x32x64_split_k"); }

LIBSGEMM_DMMA_TRIANGLE_ROW(sm90_dmma_32x32x64_triangle)

Kernel sm90_dmma_32x32x64_triangle_split_k() {
  return dmma_triangle_split_kernel<TriangleRow>("sm90_dmma_32x32x64_triangle_split_k");
}

LIBSGEMM_DMMA_ONE_SIDED_ROW(sm90_dmma_32x32x64_trmm, trmm, triangular)

LIBSGEMM_DMMA_ONE_SIDED_ROW(sm90_dmma_32x32x64_symm, symm, symmetric)

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C of FP32 matrices, accumulated in FP64 on the FP64 tensor cores of an H100 or H200.
// Every element is rounded once. For medium C.
//
// sm90_dmma_64x64x32_split_k: the same kernel with split-K. split_k_sum_fp64() adds the slices in order.
//
// sm90_dmma_64x64x32_triangle, sm90_dmma_64x64x32_triangle_split_k: syrk, syr2k and gemmtr, over the tiles of the
// triangle (dmma_triangle.cuh).
//
// sm90_dmma_64x64x32_trmm: trmm, from a copy of C (dmma_one_sided.cuh).
//
// dmma_multistage.cuh describes the loop, dmma.cuh a warp's part.
//
//   tile of C: 64 x 64            warp: 32 x 32 = 4 x 2 instructions of 8 x 16 (k 16)
//   +--------+--------+
//   | warp 0 | warp 2 |           three blocks per multiprocessor
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 3 at 18432 s: A at 0 (32 k x 72 floats), B at 9216 likewise. Operands that are
// contiguous along k: 64 rows of 36 floats, which are as many bytes.
//
// Requires: gemm of FP32, or a routine that writes a triangle; sm_90; any transposition, alignment, size and batch;
// split_k: no arrays of pointers; a k for which more than one slice pays; a workspace of 8 * slices * (m rounded up to
// a multiple of 4) * n bytes per product, at most 32 MiB.
//
// Measured (H200 at 1965 to 1980 MHz, driver 580, CUDA 13.0, TFLOP/s; NN, NT, TN, TT, and cuBLAS 13.1):
//   1024   46.2, 47.6, 44.7, 45.6   34.3, 39.6, 33.3, 35.3      1023, by elements   42.4, 42.4, 42.2, 42.9
//   2048   55.2, 56.4, 54.5, 55.3   50.4, 52.1, 49.6, 48.7
//   4096   58.1, 59.3, 57.7, 58.6   50.4, 51.8, 50.2, 49.2      4095, by elements   53.9, 53.9, 53.9, 53.7
//   8192   60.7, 61.6, 59.8, 60.9   51.0, 53.4, 50.8, 50.6      (cuBLAS at 4095     48.0, 51.6, 50.7, 48.3)
#include "dmma_one_sided.cuh"
#include "dmma_one_sided_row.h"
#include "dmma_triangle.cuh"
#include "dmma_triangle_row.h"
#include "sm90_dmma_64x64x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma64x64x32;

}  // namespace

LIBSGEMM_DMMA_ROW(sm90_dmma_64x64x32_multistage)

Kernel sm90_dmma_64x64x32_split_k() { return dmma_split_kernel<Row>("sm90_dmma_64x64x32_split_k"); }

LIBSGEMM_DMMA_TRIANGLE_ROW(sm90_dmma_64x64x32_triangle)

Kernel sm90_dmma_64x64x32_triangle_split_k() {
  return dmma_triangle_split_kernel<TriangleRow>("sm90_dmma_64x64x32_triangle_split_k");
}

LIBSGEMM_DMMA_ONE_SIDED_ROW(sm90_dmma_64x64x32_trmm, trmm, triangular)

}  // namespace libsgemm::cuda

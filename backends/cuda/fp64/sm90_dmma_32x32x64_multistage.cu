// As sm90_dmma_64x64x32_multistage.cu, with smaller tiles, for small C; and sm90_dmma_32x32x64_symm: symm
// (dmma_one_sided.cuh).
//
//   tile of C: 32 x 32            warp: 16 x 16 = 2 x 1 instructions of 8 x 16 (k 16)
//   +--------+--------+
//   | warp 0 | warp 2 |           three blocks per multiprocessor
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 3 at 20480 s: A at 0 (64 k x 40 floats), B at 10240 likewise. K-major: 32 rows of 68
// floats, and stages of 17408 if both operands are.
//
// Measured (H200 at 1980 MHz): 1024 NN 42 TFLOP/s (cuBLAS 13.1: 35). More: docs/kernels/fp64.md.
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

// As sm80_dmma_64x64x32_multistage.cu, with smaller tiles, for small C.
//
//   tile of C: 32 x 32            warp: 16 x 16 = 2 x 2 instructions of 8 x 8 (k 4)
//   +--------+--------+
//   | warp 0 | warp 2 |           three blocks per multiprocessor
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 2 at 20480 s: A at 0 (64 k x 40 floats), B at 10240 likewise. K-major: 32 rows of 68
// floats, and stages of 17408 if both operands are.
//
// Not measured: the model parameters are those of sm90_dmma_32x32x64_multistage (docs/kernels/fp64.md).
#include "dmma_triangle.cuh"
#include "dmma_triangle_row.h"
#include "sm80_dmma_32x32x64.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm80Dmma32x32x64;

}  // namespace

LIBSGEMM_DMMA_ROW(sm80_dmma_32x32x64_multistage)

Kernel sm80_dmma_32x32x64_split_k() { return dmma_split_kernel<Row>("sm80_dmma_32x32x64_split_k"); }

LIBSGEMM_DMMA_TRIANGLE_ROW(sm80_dmma_32x32x64_triangle)

Kernel sm80_dmma_32x32x64_triangle_split_k() {
  return dmma_triangle_split_kernel<TriangleRow>("sm80_dmma_32x32x64_triangle_split_k");
}

}  // namespace libsgemm::cuda

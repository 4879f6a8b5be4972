// C = alpha op(A) op(B) + beta C of FP32 matrices, accumulated in FP64 on the FP64 tensor cores of an A100, A800 or
// A30. Every element is rounded once. For small C.
//
// sm80_dmma_32x32x64_split_k: the same kernel with split-K. split_k_sum_fp64() adds the slices in order.
//
// sm80_dmma_32x32x64_triangle, sm80_dmma_32x32x64_triangle_split_k: syrk, syr2k and gemmtr, over the tiles of the
// triangle (dmma_triangle.cuh).
//
// dmma_multistage.cuh describes the loop, dmma.cuh a warp's part.
//
//   tile of C: 32 x 32            warp: 16 x 16 = 2 x 2 instructions of 8 x 8 (k 4)
//   +--------+--------+
//   | warp 0 | warp 2 |           three blocks per multiprocessor
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 2 at 20480 s: A at 0 (64 k x 40 floats), B at 10240 likewise. Operands that are
// contiguous along k: 32 rows of 68 floats, and stages of 17408 if both are.
//
// Requires: gemm of FP32, or a routine that writes a triangle; sm_80; any transposition, alignment, size and batch;
// split_k: no arrays of pointers; a k for which more than one slice pays; a workspace of 8 * slices * (m rounded up to
// a multiple of 4) * n bytes per product, at most 32 MiB.
//
// Not measured. Clocks per k-tile as in sm80_dmma_64x64x32_multistage.cu: tensor cores 1024, conversions 512, shared
// memory 384, issue 304 to 379. The figures are those of sm90_dmma_32x32x64_multistage, whose tensor cores take half
// that time; they predict 14 TFLOP/s of an A100's 19.5. 62 to 72 registers per thread on sm_80.
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

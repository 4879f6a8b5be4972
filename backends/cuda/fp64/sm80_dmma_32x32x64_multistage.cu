// C = alpha op(A) op(B) + beta C with sums in FP64 on the FP64 tensor cores of an A100, A800 or A30: FP32's inputs and
// output, every element rounded once. For small C.
//
// sm80_dmma_32x32x64_split_k: the same kernel on slices of k, whose sums split_k_sum_fp64() adds in their order.
//
// sm80_dmma_32x32x64_triangle, sm80_dmma_32x32x64_triangle_split_k: the same for syrk, syr2k and gemmtr, over the tiles
// of the triangle (dmma_triangle.cuh).
//
// The loop is described in dmma_multistage.cuh, the warp's part in dmma.cuh.
//
//   tile of C: 32 x 32            warp: 16 x 16 = 2 x 2 instructions of 8 x 8 (k 4)
//   +--------+--------+
//   | warp 0 | warp 2 |           three blocks a multiprocessor
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 2 at 20480 s: A at 0 (64 steps of k, 40 floats each), B at 10240 the same. Operands
// along k: 32 rows of 68 floats, stages of down to 17408.
//
// Requires: gemm of FP32, or a routine that writes a triangle; sm_80; any transposition, alignment, size and batch;
// split_k: no array of pointers, more than one slice worth its sum, a workspace of 8 slices ceil(m, 4) n bytes a
// product, at most 32 MiB.
//
// Not measured. Budget as in sm80_dmma_64x64x32_multistage.cu: tensor cores 1024 clocks a k-tile, conversions 512,
// shared memory 384, issue 304 to 379. The figures are those of sm90_dmma_32x32x64_multistage, whose tensor cores have
// half of that time: 14 TFLOP/s of an A100's 19.5. 62 to 72 registers a thread on sm_80.
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

// C = alpha op(A) op(B) + beta C with sums in FP64 on the FP64 tensor cores of an A100, A800 or A30: FP32's inputs and
// output, every element rounded once. For medium and large C.
//
// sm80_dmma_64x64x32_split_k: the same kernel on slices of k, whose sums split_k_sum_fp64() adds in their order.
//
// sm80_dmma_64x64x32_triangle, sm80_dmma_64x64x32_triangle_split_k: the same for syrk, syr2k and gemmtr, over the tiles
// of the triangle (dmma_triangle.cuh).
//
// The loop is described in dmma_multistage.cuh, the warp's part in dmma.cuh.
//
//   tile of C: 64 x 64            warp: 32 x 32 = 4 x 4 instructions of 8 x 8 (k 4)
//   +--------+--------+
//   | warp 0 | warp 2 |           four blocks a multiprocessor
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 2 at 18432 s: A at 0 (32 steps of k, 72 floats each), B at 9216 the same. Operands
// along k: 64 rows of 36 floats, as many bytes. Four blocks of it fit into the 164 KiB of an A100, two of three stages
// would; a k-tile takes 2048 clocks or more, which is enough to copy the next one.
//
// Requires: gemm of FP32, or a routine that writes a triangle; sm_80; any transposition, alignment, size and batch;
// split_k: no array of pointers, more than one slice worth its sum, a workspace of 8 slices ceil(m, 4) n bytes a
// product, at most 32 MiB.
//
// Not measured: no GPU of this kind was at hand. Budget of a multiprocessor of an A100 for a k-tile of one block, in
// clocks, by 64 FP64 multiply-adds, 16 conversions and 128 bytes of shared memory a clock, and four issue slots:
//   tensor cores     128 instructions of 16 clocks in each warp                            2048
//   conversions      4 warps x 64 x 32 floats                                               512
//   shared memory    4 x 64 loads of 128 bytes, and 16 KiB copied into it                   384
//   issue            368 to 444 instructions a warp, its scheduler's one                    444
// So nothing is near the tensor cores' time. sm90_dmma_64x64x32_multistage has half of the first line, about the same
// others, and reaches 0.91 of its tensor cores: its figures are taken, and 17.7 TFLOP/s of 19.5 expected. A thread has
// 118 to 126 registers on sm_80, of the 128 that four blocks leave.
#include "dmma_triangle.cuh"
#include "dmma_triangle_row.h"
#include "sm80_dmma_64x64x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm80Dmma64x64x32;

}  // namespace

LIBSGEMM_DMMA_ROW(sm80_dmma_64x64x32_multistage)

Kernel sm80_dmma_64x64x32_split_k() { return dmma_split_kernel<Row>("sm80_dmma_64x64x32_split_k"); }

LIBSGEMM_DMMA_TRIANGLE_ROW(sm80_dmma_64x64x32_triangle)

Kernel sm80_dmma_64x64x32_triangle_split_k() {
  return dmma_triangle_split_kernel<TriangleRow>("sm80_dmma_64x64x32_triangle_split_k");
}

}  // namespace libsgemm::cuda

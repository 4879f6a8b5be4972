// C = alpha op(A) op(B) + beta C of FP32 matrices, accumulated in FP64 on the FP64 tensor cores of an A100, A800 or
// A30. Every element is rounded once. For medium and large C.
//
// sm80_dmma_64x64x32_split_k: the same kernel with split-K. split_k_sum_fp64() adds the slices in order.
//
// sm80_dmma_64x64x32_triangle, sm80_dmma_64x64x32_triangle_split_k: syrk, syr2k and gemmtr, over the tiles of the
// triangle (dmma_triangle.cuh).
//
// dmma_multistage.cuh describes the loop, dmma.cuh a warp's part.
//
//   tile of C: 64 x 64            warp: 32 x 32 = 4 x 4 instructions of 8 x 8 (k 4)
//   +--------+--------+
//   | warp 0 | warp 2 |           four blocks per multiprocessor
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 2 at 18432 s: A at 0 (32 k x 72 floats), B at 9216 likewise. Operands that are
// contiguous along k: 64 rows of 36 floats, which are as many bytes. Four blocks fit into the 164 KiB of an A100; with
// three stages only two would. A k-tile takes 2048 clocks or more, which is enough to copy the next one.
//
// Requires: gemm of FP32, or a routine that writes a triangle; sm_80; any transposition, alignment, size and batch;
// split_k: no arrays of pointers; a k for which more than one slice pays; a workspace of 8 * slices * (m rounded up to
// a multiple of 4) * n bytes per product, at most 32 MiB.
//
// Not measured: no such GPU was available. Clocks of an A100's multiprocessor for a k-tile of one block, at 64 FP64
// multiply-adds, 16 conversions, 128 bytes of shared memory and four issued instructions per clock:
//   tensor cores     128 instructions of 16 clocks in each warp                            2048
//   conversions      4 warps x 64 x 32 floats                                               512
//   shared memory    4 x 64 loads of 128 bytes, and 16 KiB copied into it                   384
//   issue            368 to 444 instructions in each warp, one warp per scheduler           444
// So nothing comes near the time of the tensor cores. sm90_dmma_64x64x32_multistage has half of the first line, about
// the same others, and reaches 0.91 of the peak of its tensor cores. This kernel uses its figures, which predict 17.7
// of 19.5 TFLOP/s. A thread has 118 to 126 registers on sm_80, of the 128 that four blocks leave.
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

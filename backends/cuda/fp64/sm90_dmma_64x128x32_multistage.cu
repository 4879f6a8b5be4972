// C = alpha op(A) op(B) + beta C with sums in FP64 on the FP64 tensor cores of an H100 or H200: FP32's inputs and
// output, every element rounded once. For large C.
//
// sm90_dmma_64x128x32_split_k: the same kernel on slices of k, whose sums split_k_sum_fp64() adds in their order.
//
// The loop is described in dmma_multistage.cuh, the warp's part in dmma.cuh.
//
//   tile of C: 64 x 128           warp: 32 x 64 = 4 x 4 instructions of 8 x 16 (k 16)
//   +--------+--------+
//   | warp 0 | warp 2 |           two blocks a multiprocessor, so that one multiplies while the other waits at its
//   +--------+--------+           barrier, begins or ends
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 3 at 26624 s: A at 0 (32 steps of k, 72 floats each), B at 9216 (32 of 136).
// Operands along k: rows of 36 floats, stages of up to 27648.
//
// Requires: gemm of FP32; sm_90; any transposition, alignment, size and batch; split_k: no array of pointers, more than
// one slice worth its sum, a workspace of 8 slices ceil(m, 4) n bytes a product, at most 32 MiB.
//
// Not measured yet. A first kernel with the same tile and loop, without transposition, guards and unaligned operands,
// reached 54.5 and 56.0 TFLOP/s at 4096 and 8192 on an H200 at 1980 MHz (CUDA 13.0), 1.05 times cuBLAS; the loop's own
// limit is 64.9. By the machine code a k-tile takes a warp 450 to 530 issue slots of the 2048 clocks of its 32
// products.
#include "dmma_multistage.cuh"
#include "dmma_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : DmmaShape<64, 128, 32, 32, 64> {
  static constexpr int stages = 3;
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.83;
};

}  // namespace

LIBSGEMM_DMMA_ROW(sm90_dmma_64x128x32_multistage)

Kernel sm90_dmma_64x128x32_split_k() { return dmma_split_kernel<Row>("sm90_dmma_64x128x32_split_k"); }

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C with sums in FP64 on the FP64 tensor cores of an H100 or H200: FP32's inputs and
// output, every element rounded once. For medium C.
//
// sm90_dmma_64x64x32_split_k: the same kernel on slices of k, whose sums split_k_sum_fp64() adds in their order.
//
// The loop is described in dmma_multistage.cuh, the warp's part in dmma.cuh.
//
//   tile of C: 64 x 64            warp: 32 x 32 = 4 x 2 instructions of 8 x 16 (k 16)
//   +--------+--------+
//   | warp 0 | warp 2 |           three blocks a multiprocessor
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 3 at 18432 s: A at 0 (32 steps of k, 72 floats each), B at 9216 the same. Operands
// along k: 64 rows of 36 floats, as many bytes.
//
// Requires: gemm of FP32; sm_90; any transposition, alignment, size and batch; split_k: no array of pointers, more than
// one slice worth its sum, a workspace of 8 slices ceil(m, 4) n bytes a product, at most 32 MiB.
//
// Not measured yet.
#include "dmma_multistage.cuh"
#include "dmma_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : DmmaShape<64, 64, 32, 32, 32> {
  static constexpr int stages = 3;
  static constexpr int blocks = 3;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.8;
};

}  // namespace

LIBSGEMM_DMMA_ROW(sm90_dmma_64x64x32_multistage)

Kernel sm90_dmma_64x64x32_split_k() { return dmma_split_kernel<Row>("sm90_dmma_64x64x32_split_k"); }

}  // namespace libsgemm::cuda

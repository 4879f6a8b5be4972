// C = alpha op(A) op(B) + beta C of FP32 matrices, accumulated in FP64 on the FP64 tensor cores of an H100 or H200.
// Every element is rounded once. For large C.
//
// sm90_dmma_64x128x32_split_k: the same kernel with split-K. split_k_sum_fp64() adds the slices in order.
//
// dmma_multistage.cuh describes the loop, dmma.cuh a warp's part.
//
//   tile of C: 64 x 128           warp: 32 x 64 = 4 x 4 instructions of 8 x 16 (k 16)
//   +--------+--------+
//   | warp 0 | warp 2 |           two blocks per multiprocessor, so that one multiplies while the other waits at its
//   +--------+--------+           barrier, begins or ends
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 3 at 26624 s: A at 0 (32 k x 72 floats), B at 9216 (32 x 136). Operands that are
// contiguous along k: rows of 36 floats, and stages of up to 27648 bytes.
//
// Requires: gemm of FP32; sm_90; any transposition, alignment, size and batch; split_k: no arrays of pointers; a k for
// which more than one slice pays; a workspace of 8 * slices * (m rounded up to a multiple of 4) * n bytes per product,
// at most 32 MiB.
//
// Measured (H200 at 1980 MHz, driver 580, CUDA 13.0, TFLOP/s; NN, NT, TN, TT): 4096 57.3, 58.1, 56.1, 57.7 (cuBLAS 13.1
// 51.3, 51.8, 50.6, 49.3); 4095, by elements, 52.5 in each. The loop's own limit is 64.9. Tiles of 64 x 64 are faster
// nearly everywhere: their three resident blocks hide more latency than the fewer loads of this tile save.
#include "dmma_multistage.cuh"
#include "dmma_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : DmmaShape<64, 128, 32, 32, 64> {
  static constexpr int stages = 3;
  static constexpr int blocks = 2;  // resident per multiprocessor
  static constexpr Fitted fitted = Fitted::sm90_dmma_64x128x32_multistage;
  static constexpr Fitted split_fitted = Fitted::sm90_dmma_64x128x32_split_k;
  static constexpr double elements = 0.93;  // share of the speed if operands are copied by elements
  static constexpr double by_floats = 6;    // k that takes as long as storing C by single floats
};

}  // namespace

LIBSGEMM_DMMA_ROW(sm90_dmma_64x128x32_multistage)

Kernel sm90_dmma_64x128x32_split_k() { return dmma_split_kernel<Row>("sm90_dmma_64x128x32_split_k"); }

}  // namespace libsgemm::cuda

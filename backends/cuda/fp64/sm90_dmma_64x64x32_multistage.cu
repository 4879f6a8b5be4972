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
// Measured (H200 at 1980 MHz, driver 580, CUDA 13.0, TFLOP/s; NN, NT, TN, TT, and cuBLAS 13.1):
//   1024   48.1, 48.3, 46.9, 47.8   34.8, 39.4, 33.5, 35.6      1023, by elements   41.9, 41.4, 42.1, 42.3
//   2048   56.3, 56.9, 55.7, 56.2   50.4, 52.0, 49.5, 48.7
//   4096   59.3, 59.6, 58.9, 59.1   51.4, 51.9, 50.6, 49.1      4095, by elements   54.0, 53.6, 54.3, 54.1
//   8192   59.5, 61.0, 59.3, 60.1   50.3, 53.0, 49.5, 49.1      (cuBLAS at 4095     48.2, 51.7, 50.7, 48.9)
#include "dmma_multistage.cuh"
#include "dmma_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : DmmaShape<64, 64, 32, 32, 32> {
  static constexpr int stages = 3;
  static constexpr int blocks = 3;  // resident on a multiprocessor
  static constexpr Fitted fitted = Fitted::sm90_dmma_64x64x32_multistage;
  static constexpr Fitted split_fitted = Fitted::sm90_dmma_64x64x32_split_k;
  static constexpr double elements = 0.93;  // of the speed, where operands are copied by elements
  static constexpr double by_floats = 6;    // steps of k that it costs to store C by single floats
};

}  // namespace

LIBSGEMM_DMMA_ROW(sm90_dmma_64x64x32_multistage)

Kernel sm90_dmma_64x64x32_split_k() { return dmma_split_kernel<Row>("sm90_dmma_64x64x32_split_k"); }

}  // namespace libsgemm::cuda

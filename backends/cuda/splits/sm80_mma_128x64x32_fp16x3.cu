// C = alpha op(A) op(B) + beta C of FP32 matrices with FP32-level error, from three products of fp16 on tensor cores
// (mode fp16x3, sm_80): A = A0 + A1, B = B0 + B1, C = A1 B0 + A0 B1 + A0 B0. Figures: docs/kernels/splits.md.
//
// sm80_mma_128x64x32_fp32_fast: the same for mode fp32_fast (splits.h).
//
// Launches: split_kernel.h. Main loop: split_product.cuh. Splits, and sources: splits.h.
//
//   tile of C: 128 x 64          warp: 64 x 32, with two sets of 64 accumulators per thread
//   +--------+--------+
//   | warp 0 | warp 2 |          shared memory: 96 KiB, 4 stages; two blocks per multiprocessor: while one adds its
//   +--------+--------+          accumulators in FP32, the other multiplies
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Requires: gemm of FP32, single or in strided batches; sm_80; workspace for panels of k = 256: 4 k bytes for each row
// of A and column of B, whose numbers are rounded up to multiples of 128, and 4 for each row and column. Any size,
// transposition and alignment. fp32_fast: 4 more bytes for each row and column, and FP64 tensor cores as fast as the
// FP32 cores.
#include "gpu/kernels.h"
#include "gpu/splits/keeping_bound.h"
#include "split_product.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 128, 64, 32, 64, 32> {
  static constexpr int splits = 2, stages = 4, blocks = 2;
  static constexpr double peak_fraction = 0.72;
};

}  // namespace

__global__ void __launch_bounds__(Config::threads, Config::blocks)
    sm80_mma_128x64x32_fp16x3(const __grid_constant__ StridedOperands operands,
                              const __grid_constant__ SplitProblem p) {
  split_product<Config>(operands, p);
}

namespace {

struct DeviceCode {
  static SplitProduct product() { return split_product_of<Config, sm80_mma_128x64x32_fp16x3>(Scheme::fp16x2); }
};

}  // namespace

KernelList sm80_mma_128x64x32_fp16x3() {
  return {split_product_kernel<DeviceCode>("sm80_mma_128x64x32_fp16x3", LIBSGEMM_MATH_FP16X3),
          fp32_fast_kernel<DeviceCode>("sm80_mma_128x64x32_fp32_fast")};
}
}  // namespace libsgemm::cuda

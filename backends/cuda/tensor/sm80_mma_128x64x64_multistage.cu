// As sm80_mma_128x128x32_multistage, with half the tile and twice the warps, for matrices that would have too few tiles
// of that size, or too few warps on a multiprocessor.
//
//   tile of C: 128 x 64          warp: 32 x 32 = 2 x 4 blocks D, 32 registers of accumulators
//   +--------+--------+
//   | warp 0 | warp 4 |
//   |   ...  |   ...  |
//   | warp 3 | warp 7 |
//   +--------+--------+
//
// Shared memory, bytes: 3 stages of 24576, B at 16384; 73728 in all. At the end 17408 for accumulators.
//
// Measured (H100): FP16 1024 NN 172 TFLOP/s, cuBLAS 260.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "tensor_multistage.cuh"
#include "tensor_row.h"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 128, 64, 64, 32, 32> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 2;
  static constexpr double peak_fraction = 0.55;
  static constexpr Fitted fitted = Fitted::sm80_mma_128x64x64_multistage;
};

}  // namespace

LIBSGEMM_TENSOR_ROW(sm80_mma_128x64x64_multistage, LIBSGEMM_MATH_FP32, Config, MmaTileOf, MmaEngine)

}  // namespace libsgemm::cuda

// As sm80_mma_128x128x32_multistage, for very large C (step 5 of the ladder): 85 flop per byte from the L2 cache
// instead of 64, with one block of 8 warps a multiprocessor instead of two of 4.
//
//   tile of C: 256 x 128         warp: 64 x 64
//   +--------+--------+
//   | warp 0 | warp 4 |
//   |   ...  |   ...  |
//   | warp 3 | warp 7 |
//   +--------+--------+
//
// Shared memory, bytes: 3 stages of 49152, B at 32768; 147456 in all, which sm_86, sm_89 and sm_120 do not have. At the
// end 33792 for accumulators: 32 columns of 264 floats.
//
// Measured (H100): FP16 NN 4096 x 4096 x 4096 442 TFLOP/s, cuBLAS 671.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "tensor_multistage.cuh"
#include "tensor_row.h"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 256, 128, 64, 64, 64> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 1;
  static constexpr double peak_fraction = 0.7;
  static constexpr Fitted fitted = Fitted::sm80_mma_256x128x64_multistage;
};

}  // namespace

LIBSGEMM_TENSOR_ROW(sm80_mma_256x128x64_multistage, LIBSGEMM_MATH_FP32, Config, MmaTileOf, MmaEngine)

}  // namespace libsgemm::cuda

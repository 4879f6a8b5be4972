// C = alpha op(A) op(B) + beta C of 16-bit matrices on tensor cores from sm_80, for a large C: step 4 of the 16-bit
// ladder (docs/kernels/mma.md). The variant _split_k cuts k into slices, for few tiles and deep k.
//
// Source: NVIDIA, PTX ISA. Loop: tensor_multistage.cuh; swizzle: tensor_tile.cuh; fragments and lanes: mma.cuh.
//
//   tile of C: 128 x 128         warp: 64 x 64, 128 accumulators a lane
//   +--------+--------+
//   | warp 0 | warp 2 |          shared memory: 64 KiB
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches, whose columns and products all start at
// multiples of 16 bytes; sm_80. _split_k: a product for which the cost model chooses at least two
// slices.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "tensor_kernel.h"
#include "tensor_multistage.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 128, 128, 32, 64, 64> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 4;
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.65;
  static constexpr Fitted fitted = Fitted::sm80_mma_128x128x32_multistage;
  static constexpr Fitted split_fitted = Fitted::sm80_mma_128x128x32_split_k;
};

}  // namespace

LIBSGEMM_TENSOR_CODE(tensor_multistage, sm80_mma_128x128x32_multistage, LIBSGEMM_MATH_FP32, Config, MmaTileOf,
                     MmaEngine)

KernelList sm80_mma_128x128x32_multistage() {
  return {tensor_kernel<DeviceCode>("sm80_mma_128x128x32_multistage"),
          tensor_split_kernel<DeviceCode>("sm80_mma_128x128x32_split_k")};
}
}  // namespace libsgemm::cuda

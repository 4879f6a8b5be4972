// sm80_mma_128x128x32_multistage with half the tile and twice the warps (8 of 32 x 32, column by column), for medium C.
// 72 KiB of shared memory.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "tensor_kernel.h"
#include "tensor_multistage.cuh"

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

LIBSGEMM_TENSOR_CODE(tensor_multistage, sm80_mma_128x64x64_multistage, LIBSGEMM_MATH_FP32, Config, MmaTileOf, MmaEngine)

KernelList sm80_mma_128x64x64_multistage() { return tensor_kernel<DeviceCode>("sm80_mma_128x64x64_multistage"); }

}  // namespace libsgemm::cuda

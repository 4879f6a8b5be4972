// sm80_mma_128x128x32_multistage for very large C (step 5 of the 16-bit ladder), with 8 warps of 64 x 64, numbered
// column by column.
//
// Shared memory: 144 KiB, which sm_86, sm_89 and sm_120 do not have.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "tensor_kernel.h"
#include "tensor_multistage.cuh"

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

LIBSGEMM_TENSOR_CODE(tensor_multistage, sm80_mma_256x128x64_multistage, LIBSGEMM_MATH_FP32, Config, MmaTileOf,
                     MmaEngine)

KernelList sm80_mma_256x128x64_multistage() { return tensor_kernel<DeviceCode>("sm80_mma_256x128x64_multistage"); }

}  // namespace libsgemm::cuda

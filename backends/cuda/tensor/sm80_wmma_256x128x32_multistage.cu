// Step 3 of the 16-bit ladder (docs/kernels/mma.md): like sm80_mma_128x128x32_multistage, but by nvcuda::wmma
// (wmma.cuh) and with tiles of 256 x 128 by eight warps of 64 x 64, numbered column by column.
//
// Source: NVIDIA, CUDA C++ Programming Guide. Shared memory: at most 120 KiB; sm_86, sm_89 and sm_120 have less and do
// not run it.
#include "gpu/kernels.h"
#include "tensor_kernel.h"
#include "tensor_multistage.cuh"
#include "wmma.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 256, 128, 32, 64, 64> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 4;
  static constexpr int blocks = 1;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.6;
  static constexpr Fitted fitted = Fitted::sm80_wmma_256x128x32_multistage;
  static constexpr Fitted split_fitted = Fitted::sm80_wmma_256x128x32_split_k;
};

}  // namespace

LIBSGEMM_TENSOR_CODE(tensor_multistage, sm80_wmma_256x128x32_multistage, LIBSGEMM_MATH_FP32, Config, WmmaTileOf,
                     WmmaEngine)

KernelList sm80_wmma_256x128x32_multistage() {
  return {tensor_kernel<DeviceCode>("sm80_wmma_256x128x32_multistage"),
          tensor_split_kernel<DeviceCode>("sm80_wmma_256x128x32_split_k")};
}
}  // namespace libsgemm::cuda

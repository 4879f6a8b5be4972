// sm80_wmma_256x128x32_multistage with tiles of 128 x 128 and four warps, in math mode tf32. A warp rounds its
// fragments. At most 80 KiB of shared memory.
#include "gpu/kernels.h"
#include "tensor_kernel.h"
#include "tensor_multistage.cuh"
#include "wmma.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::tf32, 128, 128, 16, 64, 64> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 4;
  static constexpr int blocks = 2;
  static constexpr double peak_fraction = 0.2;
};

}  // namespace

LIBSGEMM_TENSOR_CODE(tensor_multistage, sm80_wmma_128x128x16_multistage, LIBSGEMM_MATH_TF32, Config, WmmaTileOf,
                     WmmaEngine)

KernelList sm80_wmma_128x128x16_multistage() { return tensor_kernel<DeviceCode>("sm80_wmma_128x128x16_multistage"); }

}  // namespace libsgemm::cuda

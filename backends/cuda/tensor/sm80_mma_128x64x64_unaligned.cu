// sm80_mma_128x64x64_multistage at any alignment (unaligned_tile.cuh). For large matrices sm75_mma_64x64x64_packed is
// faster. At most 81 KiB of shared memory.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "tensor_kernel.h"
#include "tensor_multistage.cuh"
#include "unaligned_tile.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 128, 64, 64, 32, 32> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 2;
  static constexpr bool any_alignment = true;
  static constexpr double odd_lines = 1.2;  // every other row is moved
  static constexpr double peak_fraction = 0.45;
  static constexpr Fitted fitted = Fitted::sm80_mma_128x64x64_unaligned;
};

}  // namespace

LIBSGEMM_TENSOR_CODE(tensor_multistage, sm80_mma_128x64x64_unaligned, LIBSGEMM_MATH_FP32, Config, UnalignedTileOf,
                     MmaEngine)

KernelList sm80_mma_128x64x64_unaligned() { return tensor_kernel<DeviceCode>("sm80_mma_128x64x64_unaligned"); }

}  // namespace libsgemm::cuda

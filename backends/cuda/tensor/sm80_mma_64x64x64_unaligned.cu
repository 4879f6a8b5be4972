// sm80_mma_32x32x128_unaligned with warps of 32 x 32, for about 100 rows or columns, or a deep k in slices.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "pair_tile.cuh"
#include "tensor_kernel.h"
#include "tensor_multistage.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 64, 64, 64, 32, 32> {
  static constexpr int min_arch = 80;
  static constexpr int k_groups = 2, threads = 256;
  static constexpr int stages = 2;
  static constexpr int blocks = 2;
  static constexpr bool any_alignment = true;
  static constexpr double peak_fraction = 0.15;
  static constexpr Fitted fitted = Fitted::sm80_mma_64x64x64_unaligned;
  static constexpr Fitted split_fitted = Fitted::sm80_mma_64x64x64_unaligned_split_k;
};

}  // namespace

LIBSGEMM_TENSOR_CODE(tensor_small, sm80_mma_64x64x64_unaligned, LIBSGEMM_MATH_FP32, Config, PairTileOf, MmaEngine)

KernelList sm80_mma_64x64x64_unaligned() {
  return {tensor_kernel<DeviceCode>("sm80_mma_64x64x64_unaligned"),
          tensor_split_kernel<DeviceCode>("sm80_mma_64x64x64_unaligned_split_k")};
}
}  // namespace libsgemm::cuda

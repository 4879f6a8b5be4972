// C = alpha op(A) op(B) + beta C of 16-bit matrices on tensor cores from sm_80, at any alignment, for a small C. Its
// _split_k variant cuts k into slices. Why, and what was tried: docs/kernels/mma.md.
//
// Source: NVIDIA, PTX ISA. Loop: tensor_staged() of tensor_multistage.cuh; tiles: pair_tile.cuh; fragments: mma.cuh.
//
//   tile of C: 32 x 32           warps 0 to 3: k 0 to 63 of a k-tile, warps 4 to 7: 64 to 127
//   +--------+--------+          warp: 16 x 16, 8 accumulators a lane
//   | warp 0 | warp 2 |
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+          shared memory: at most 40 KiB
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches; sm_80. Split: two slices or more by the
// cost model.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "pair_tile.cuh"
#include "tensor_kernel.h"
#include "tensor_multistage.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 32, 32, 128, 16, 16> {
  static constexpr int min_arch = 80;
  static constexpr int k_groups = 2, threads = 256;
  static constexpr int stages = 2;
  static constexpr int blocks = 4;  // resident on a multiprocessor
  static constexpr bool any_alignment = true;
  static constexpr double peak_fraction = 0.08;
  static constexpr Fitted fitted = Fitted::sm80_mma_32x32x128_unaligned;
  static constexpr Fitted split_fitted = Fitted::sm80_mma_32x32x128_unaligned_split_k;
};

}  // namespace

LIBSGEMM_TENSOR_CODE(tensor_small, sm80_mma_32x32x128_unaligned, LIBSGEMM_MATH_FP32, Config, PairTileOf, MmaEngine)

KernelList sm80_mma_32x32x128_unaligned() {
  return {tensor_kernel<DeviceCode>("sm80_mma_32x32x128_unaligned"),
          tensor_split_kernel<DeviceCode>("sm80_mma_32x32x128_unaligned_split_k")};
}
}  // namespace libsgemm::cuda

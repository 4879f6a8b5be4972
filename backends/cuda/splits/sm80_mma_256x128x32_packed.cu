// C = alpha op(A) op(B) + beta C of FP32 matrices of any layout and alignment in math mode tf32. A pass before the
// product rounds A and B to the nearest TF32 numbers. Why, and figures: docs/kernels/mma.md.
//
// Main loop: tensor_multistage.cuh; swizzle: tensor_tile.cuh; fragments: mma.cuh. Sources: NVIDIA, PTX ISA (mma.sync,
// ldmatrix and their fragment layouts). Tiles and warps as in sm80_mma_256x128x64_multistage.
//
// Requires: gemm of FP32, single or in strided batches; sm_80; 144 KiB of shared memory; a workspace for panels of k =
// 256: 1 KiB for each row of op(A) and column of op(B), m and n rounded up to multiples of 128.
#include "gpu/kernels.h"
#include "gpu/splits/packed_kernel.h"
#include "runtime/device.h"
#include "splits/tf32_pass.h"
#include "tensor/mma.cuh"
#include "tensor/tensor_kernel.h"
#include "tensor/tensor_multistage.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::tf32, 256, 128, 32, 64, 64> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 1;
  static constexpr double peak_fraction = 0.47;
};

using Product = TensorProduct<Config, Number::tf32, MmaTileOf, MmaEngine, true, true>;

}  // namespace

__global__ void __launch_bounds__(Config::threads, Config::blocks)
    sm80_mma_256x128x32_packed(const __grid_constant__ StridedOperands operands,
                               const __grid_constant__ TileProblem p) {
  tensor_multistage<Product>(operands, p);
}

namespace {

struct ProductCode {
  using Config = cuda::Config;
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_TF32;
  template <Number kNumber, bool AlongA, bool AlongB>
  static TensorInstance instance() {
    return {&sm80_mma_256x128x32_packed, Product::bytes};
  }
};

struct DeviceCode {
  static bool supports(const GemmDesc &desc) { return desc.type == Type::f32; }
  static PackedProduct product(const GemmDesc &) {
    static const Kernel kernel = tensor_kernel<ProductCode>("sm80_mma_256x128x32_packed");
    return {runs_code_of<Config::min_arch>,
            tf32_pass(),
            [](const GemmDesc &, bool) { return true; },
            Type::f32,
            LIBSGEMM_MATH_TF32,
            &kernel};
  }
};

}  // namespace

KernelList sm80_mma_256x128x32_packed() {
  return packed_kernel<DeviceCode>("sm80_mma_256x128x32_packed", LIBSGEMM_MATH_TF32);
}

}  // namespace libsgemm::cuda

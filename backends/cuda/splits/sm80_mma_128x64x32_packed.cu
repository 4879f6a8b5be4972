// As sm80_mma_256x128x32_packed.cu, for smaller matrices, with four times as many tiles.
//
//   tile of C: 128 x 64, 2 x 2 warps
//   warp: 64 x 32, as in sm80_mma_256x128x64_multistage; the k of an instruction is 8
//
// Shared memory, bytes: stage s of 3 at 24576 s: A at 0 (128 rows of 32 elements), B at 16384 (64 such rows). 73728 in
// all. The epilogue reuses them for accumulators: 32 columns of 136 floats.
//
// Measured (H100 at 1980 MHz, pass included): 1024 NN 83 TFLOP/s (cuBLAS 13.1 in TF32: 136). More:
// docs/kernels/mma.md.
#include "gpu/kernels.h"
#include "gpu/splits/packed_row.h"
#include "runtime/device.h"
#include "splits/tf32_pass.h"
#include "tensor/mma.cuh"
#include "tensor/tensor_multistage.cuh"
#include "tensor/tensor_row.h"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::tf32, 128, 64, 32, 64, 32> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 2;  // resident per multiprocessor
  static constexpr double peak_fraction = 0.36;
};

using Product = TensorProduct<Config, Number::tf32, MmaTileOf, MmaEngine, true, true>;

}  // namespace

__global__ void __launch_bounds__(Config::threads, Config::blocks)
    sm80_mma_128x64x32_packed(const __grid_constant__ StridedOperands operands, const __grid_constant__ TileProblem p) {
  tensor_multistage<Product>(operands, p);
}

namespace {

struct ProductRow {
  using Config = cuda::Config;
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_TF32;
  template <Number kNumber, bool AlongA, bool AlongB>
  static TensorInstance instance() {
    return {&sm80_mma_128x64x32_packed, Product::bytes};
  }
};

struct Row {
  static bool supports(const GemmDesc &desc) { return desc.type == Type::f32; }
  static PackedProduct product(const GemmDesc &) {
    static const Kernel kernel = tensor_kernel<ProductRow>("sm80_mma_128x64x32_packed");
    return {runs_code_of<Config::min_arch>,
            tf32_pass(),
            [](const GemmDesc &, bool) { return true; },
            Type::f32,
            LIBSGEMM_MATH_TF32,
            &kernel};
  }
};

}  // namespace

Kernel sm80_mma_128x64x32_packed() { return packed_kernel<Row>("sm80_mma_128x64x32_packed", LIBSGEMM_MATH_TF32); }

}  // namespace libsgemm::cuda

#include "gpu/kernels.h"
#include "mma.cuh"
#include "shifted_tile.cuh"
#include "tensor_multistage.cuh"
#include "tensor_row.h"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 128, 64, 64, 32, 32> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr bool any_alignment = true;
  static constexpr double peak_fraction = 0.4;
};

template <Number kNumber, bool AlongA, bool AlongB>
using Product = TensorProduct<Config, kNumber, ShiftedTileOf, MmaEngine, AlongA, AlongB>;

}  // namespace

template <Number kNumber, bool AlongA, bool AlongB>
__global__ void __launch_bounds__(Config::threads, Config::blocks)
    sm80_mma_128x64x64_shifted(const __grid_constant__ StridedOperands operands,
                               const __grid_constant__ TileProblem p) {
  tensor_multistage<Product<kNumber, AlongA, AlongB>>(operands, p);
}

namespace {

struct Row {
  using Config = cuda::Config;
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP32;
  template <Number kNumber, bool AlongA, bool AlongB>
  static TensorInstance instance() {
    return {&sm80_mma_128x64x64_shifted<kNumber, AlongA, AlongB>, Product<kNumber, AlongA, AlongB>::bytes};
  }
};

}  // namespace

Kernel sm80_mma_128x64x64_shifted() { return tensor_kernel<Row>("sm80_mma_128x64x64_shifted"); }

}  // namespace libsgemm::cuda

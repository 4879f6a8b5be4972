// As sm80_wmma_256x128x32_multistage, with tiles of 128 x 128 and four warps, for FP32 operands in the math mode TF32.
// Elements are rounded to the nearest TF32 number, ties to even, when a warp reads its fragments. It needs no
// workspace.
//
// Shared memory, bytes: 4 stages. An operand takes 10240 (along k: 128 rows of 16 elements, 80 bytes apart) or 8448 (16
// rows of 128, 528 apart); at most 81920 in all.
//
// Requires: gemm of FP32, otherwise the same; up to 81920 bytes of shared memory a block.
// Measured (H100): 4096 110 to 116 TFLOP/s, cuBLAS in TF32 264 to 391.
#include "gpu/kernels.h"
#include "tensor_multistage.cuh"
#include "tensor_row.h"
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

LIBSGEMM_TENSOR_ROW(sm80_wmma_128x128x16_multistage, LIBSGEMM_MATH_TF32, Config, WmmaTileOf, WmmaEngine)

}  // namespace libsgemm::cuda

// As sm80_mma_128x64x64_multistage, at any alignment: a lane copies a word instead of 16 bytes. Where a row starts in
// the middle of a word, the warp that copied it moves it (unaligned_tile.cuh). For large matrices
// sm75_mma_64x64x64_packed, which first makes aligned copies, is cheaper.
//
// Shared memory, bytes: 3 stages, at most 82944 in all. Rows of 64 elements are 144 apart, of 128 elements 272. The gap
// after a row holds the word of its last element if the row starts in the middle of a word.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches; sm_80; that shared memory. Any size,
// transposition and alignment.
// Measured (H100): 1023 108 to 111 TFLOP/s, cuBLAS 69 to 77.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "tensor_multistage.cuh"
#include "tensor_row.h"
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

LIBSGEMM_TENSOR_ROW(sm80_mma_128x64x64_unaligned, LIBSGEMM_MATH_FP32, Config, UnalignedTileOf, MmaEngine)

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C of 16-bit matrices on tensor cores from sm_80: nvcuda::wmma, asynchronous copies
// several k-tiles ahead. Step 3 of the 16-bit ladder (docs/kernels/mma.md), for a large C. As
// sm80_wmma_256x128x32_split_k it cuts k into slices, for few tiles and deep k.
//
// Source: NVIDIA, CUDA C++ Programming Guide. Loop: tensor_multistage.cuh; fragments: wmma.cuh.
//
//   tile of C: 256 x 128         warp: 64 x 64 = 4 x 4 blocks of 16 x 16
//   +--------+--------+          wmma does not specify which lane holds what
//   | warp 0 | warp 4 |
//   |   ...  |   ...  |
//   | warp 3 | warp 7 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 4, A at 0, B after it. An operand that is contiguous along k: 256 or 128 rows of 32
// elements, 80 bytes apart, 20480 or 10240; any other: 32 rows of 256 or 128, 528 or 272 apart, 16896 or 8704. At most
// 122880 in all, which sm_86, sm_89 and sm_120 do not have. At the end a warp has 4352 for its accumulators: 16 columns
// of 68 floats.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches, whose columns and products all start at
// multiples of 16 bytes; sm_80; that shared memory. Any size and transposition. Split: two slices or more by the cost
// model; workspace: gpu/tiles/split_k.h.
// Measured (H100): FP16 NN 4096 x 4096 x 4096 380 TFLOP/s, cuBLAS 671.
#include "gpu/kernels.h"
#include "tensor_multistage.cuh"
#include "tensor_row.h"
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

LIBSGEMM_TENSOR_ROW(sm80_wmma_256x128x32_multistage, LIBSGEMM_MATH_FP32, Config, WmmaTileOf, WmmaEngine)
Kernel sm80_wmma_256x128x32_split_k() { return tensor_split_kernel<Row>("sm80_wmma_256x128x32_split_k"); }

}  // namespace libsgemm::cuda

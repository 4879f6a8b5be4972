// C = alpha op(A) op(B) + beta C of 16-bit matrices, on tensor cores from sm_80: nvcuda::wmma, asynchronous copies
// several k-tiles ahead. As sm80_wmma_256x128x32_split_k it cuts k into slices, for few tiles and deep k; split_k_sum()
// adds them in order.
//
// Adds to the previous step (sm75_wmma_16x16x16_warp): 16 blocks of 16 x 16 a warp, so that a fragment serves 4
// products, tiles that 8 warps share, and copies that bypass the registers.
//
// Sources: NVIDIA, CUDA C++ Programming Guide (warp matrix functions, asynchronous copies); the loop is described in
// tensor_multistage.cuh, the fragments in wmma.cuh.
//
//   tile of C: 256 x 128         warp: 64 x 64 = 4 x 4 blocks of 16 x 16
//   +--------+--------+          wmma does not specify which lane holds what
//   | warp 0 | warp 4 |
//   +--------+--------+
//   | warp 1 | warp 5 |
//   +--------+--------+
//   | warp 2 | warp 6 |
//   +--------+--------+
//   | warp 3 | warp 7 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 4, A at 0, B after it. An operand that is contiguous along k: 256 or 128 rows of 32
// elements, 80 bytes apart, 20480 or 10240; any other: 32 rows of 256 or 128, 528 or 272 apart, 16896 or 8704. At most
// 122880 in all, which sm_86, sm_89 and sm_120 do not have. At the end a warp has 4352 for its accumulators: 16 columns
// of 68 floats.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches, whose columns and products all start at
// multiples of 16 bytes; sm_80; up to 122880 bytes of shared memory a block. Any size and transposition.
// Split: more than one slice by the cost model; a workspace of 4 * slices * n * (m rounded up to a multiple of 4) bytes
// a product, at most 32 MiB.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; warp_m, warp_n of a warp; stages of shared memory; blocks,
// which with the threads bounds the registers; peak_fraction for the cost.
//
// Measured (H100 SXM at 1980 MHz, TFLOP/s): FP16 NN 4096 x 4096 x 4096 380, 8192 x 8192 x 8192 381; cuBLAS 13 671, 690.
// Tiles of 128 x 128, two blocks: 299 and 318. The split-K kernel was measured for figures/sm90.h.
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

// C = alpha op(A) op(B) + beta C of 16-bit matrices, on tensor cores from sm_80: mma.sync, fragments by ldmatrix from
// swizzled shared memory, asynchronous copies several k-tiles ahead.
//
// Compared with sm80_mma_128x128x32_multistage: 85 flop per byte from the L2 cache instead of 64, with one block of 8
// warps a multiprocessor instead of two of 4. It serves matrices that are large enough for that.
//
// Sources: NVIDIA, PTX ISA (mma.sync, ldmatrix and the places of their elements); the loop is described in
// tensor_multistage.cuh, the swizzle in tensor_tile.cuh, the fragments in mma.cuh.
//
//   tile of C: 256 x 128
//   +--------+--------+
//   | warp 0 | warp 4 |
//   +--------+--------+
//   | warp 1 | warp 5 |
//   +--------+--------+
//   | warp 2 | warp 6 |
//   +--------+--------+
//   | warp 3 | warp 7 |
//   +--------+--------+
//
//   warp: 64 x 64 = 4 x 8 blocks D of 16 (columns of C) x 8 (rows)    lane l of a block
//   +----+----+-- m                                                     columns of C l / 4, and 8 more
//   |16x8|    |                                                         rows 2 (l % 4), and one more
//   +----+----+--
//   n                                                                   32 blocks of 4 accumulators: 128 registers
//
// Shared memory, bytes: stage s of 3 at 49152 s: A at 0, B at 32768. An operand that is contiguous along k: 256 or 128
// rows of 64 elements; any other: 64 rows of 256 or 128. 147456 in all, which sm_86, sm_89 and sm_120 do not have. At
// the end 33792 for accumulators: 32 columns of 264 floats.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches, whose columns and products all start at
// multiples of 16 bytes; sm_80; 147456 bytes of shared memory a block. Any size and transposition.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; warp_m, warp_n of a warp; stages of shared memory; blocks,
// which with the threads bounds the registers; peak_fraction for the cost.
//
// Measured (H100 SXM at 1980 MHz, TFLOP/s): FP16 NN 4096 x 4096 x 4096 442, 8192 x 8192 x 8192 435; cuBLAS 13 671, 690.
// With k-tiles of 32 and 4 stages 413 and 400.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "tensor_multistage.cuh"
#include "tensor_row.h"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 256, 128, 64, 64, 64> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 1;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.7;
  static constexpr Fitted fitted = Fitted::sm80_mma_256x128x64_multistage;
};

}  // namespace

LIBSGEMM_TENSOR_ROW(sm80_mma_256x128x64_multistage, LIBSGEMM_MATH_FP32, Config, MmaTileOf, MmaEngine)

}  // namespace libsgemm::cuda

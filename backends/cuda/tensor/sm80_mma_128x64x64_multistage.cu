// C = alpha op(A) op(B) + beta C of 16-bit matrices, on tensor cores from sm_80: mma.sync, fragments by ldmatrix from
// swizzled shared memory, asynchronous copies several k-tiles ahead.
//
// Compared with sm80_mma_128x128x32_multistage: half the tile and twice the warps. It serves matrices that would have
// too few tiles of that size for all multiprocessors, or too few warps on them.
//
// Sources: NVIDIA, PTX ISA (mma.sync, ldmatrix and the places of their elements); the loop is described in
// tensor_multistage.cuh, the swizzle in tensor_tile.cuh, the fragments in mma.cuh.
//
//   tile of C: 128 x 64          warp: 32 x 32 = 2 x 4 blocks D of 16 (columns of C) x 8 (rows)
//   +--------+--------+          +----+----+-- m     lane l of a block:
//   | warp 0 | warp 4 |          |16x8|    |         columns of C l / 4, and 8 more
//   +--------+--------+          +----+----+--       rows 2 (l % 4), and one more
//   | warp 1 | warp 5 |          n
//   +--------+--------+                              8 blocks of 4 accumulators: 32 registers
//   | warp 2 | warp 6 |
//   +--------+--------+
//   | warp 3 | warp 7 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 3 at 24576 s: A at 0, B at 16384. An operand that is contiguous along k: 128 or 64
// rows of 64 elements; any other: 64 rows of 128 or 64. 73728 in all. At the end 17408 for accumulators: 32 columns of
// 136 floats.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches, whose columns and products all start at
// multiples of 16 bytes; sm_80; 73728 bytes of shared memory a block. Any size and transposition.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; warp_m, warp_n of a warp; stages of shared memory; blocks,
// which with the threads bounds the registers; peak_fraction for the cost.
//
// Measured (H100 at 1980 MHz, TFLOP/s; cuBLAS 13.1 in the same run in brackets): 1024 NN 172 (260), bfloat16 NN 172
// (258), NT 170, TN 168, TT 171. sm80_mma_128x128x32_multistage, with half as many tiles: 130.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "tensor_multistage.cuh"
#include "tensor_row.h"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 128, 64, 64, 32, 32> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.55;
  static constexpr Fitted fitted = Fitted::sm80_mma_128x64x64_multistage;
};

}  // namespace

LIBSGEMM_TENSOR_ROW(sm80_mma_128x64x64_multistage, LIBSGEMM_MATH_FP32, Config, MmaTileOf, MmaEngine)

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C of 16-bit matrices, on tensor cores from sm_80, at any alignment: mma.sync, fragments
// by ldmatrix, asynchronous copies several k-tiles ahead.
//
// The kernels for aligned operands copy 16 bytes at once; here a lane copies a word. Where a row starts in the middle
// of a word, the warp that copied it moves it before any thread reads it. Compared with sm75_mma_64x64x64_packed it is
// one kernel instead of a pass and a product. That one serves large matrices, where the pass is cheap.
//
// Sources: NVIDIA, PTX ISA (cp.async, mma.sync, ldmatrix and the places of their elements); the loop is described in
// tensor_multistage.cuh, the words in unaligned_tile.cuh, the fragments in mma.cuh.
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
// Shared memory, bytes: stage s of 3 at (A + B) s: A at 0, B after it. An operand that is contiguous along k: 128 or 64
// rows of 64 elements, 144 apart: A 18432, B 9216; any other: 64 rows of 128 elements, 272 apart, 17408, or of 64,
// 9216. The gap after a row holds the word of its last element if the row starts in the middle of a word. At most 82944
// in all. At the end 17408 for accumulators: 32 columns of 136 floats.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches; sm_80; 82944 bytes of shared memory a
// block. Any size, transposition and alignment.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; warp_m, warp_n of a warp; stages of shared memory; blocks,
// which with the threads bounds the registers; peak_fraction for the cost.
//
// Measured (H100 at 1980 MHz, TFLOP/s; cuBLAS 13.1 in the same run in brackets): 1023 NN 111 (74), NT 108 (77), TN 109
// (69), TT 111 (71). Before grids started early 102 to 104.
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
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr bool any_alignment = true;
  static constexpr double odd_lines = 1.2;  // every other row is moved
  static constexpr double peak_fraction = 0.45;
  static constexpr Fitted fitted = Fitted::sm80_mma_128x64x64_unaligned;
};

}  // namespace

LIBSGEMM_TENSOR_ROW(sm80_mma_128x64x64_unaligned, LIBSGEMM_MATH_FP32, Config, UnalignedTileOf, MmaEngine)

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C of 16-bit matrices, on tensor cores from sm_80, at any alignment, where C has about
// 100 rows or columns, or deep k is cut into slices: sm80_mma_32x32x128_unaligned with larger tiles, which read
// operands half as often.
//
// Sources: NVIDIA, PTX ISA (mma.sync, ldmatrix and the places of their elements); the loop is described in
// tensor_multistage.cuh (tensor_staged), the tiles in pair_tile.cuh, the fragments in mma.cuh.
//
//   tile of C: 64 x 64           warps 0 to 3: k 0 to 31 of a k-tile, warps 4 to 7: 32 to 63
//   +--------+--------+          warp: 32 x 32 = 2 x 4 blocks D of 16 (columns of C) x 8 (rows): 32 accumulators a lane
//   | warp 0 | warp 2 |
//   +--------+--------+          at the end warps 0 to 3 add the accumulators of 4 to 7
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 2 at 18432 s: A at 0, B at 9216, each 64 rows of 64 elements, 144 apart, whichever
// dimension is contiguous. 36864 in all. At the end 9216 for accumulators, 32 columns of 72 floats; after them 16384
// for the accumulators of warps 4 to 7.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches; sm_80; 36864 bytes of shared memory a
// block. Any size, transposition and alignment.
// Split: more than one slice by the cost model; a workspace of 4 * slices * n * (m rounded up to a multiple of 4) bytes
// a product, at most 32 MiB.
//
// Parameters (Config): those of sm80_mma_32x32x128_unaligned.
//
// Measured (H100 at 1980 MHz, TFLOP/s; cuBLAS 13.1 in the same run in brackets): split, 120 x 92 x 15704 TT 19 (24),
// 247 x 96 x 8263 NT 23 (27), where 32 x 32 tiles reach 17 and 20. Without groups of warps 13 and 16. All this was
// measured with three resident blocks, with which registers spill; the random products that the figures are fitted to
// ran with two.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "pair_tile.cuh"
#include "tensor_multistage.cuh"
#include "tensor_row.h"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 64, 64, 64, 32, 32> {
  static constexpr int min_arch = 80;
  static constexpr int k_groups = 2, threads = 256;
  static constexpr int stages = 2;
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr bool any_alignment = true;
  static constexpr double peak_fraction = 0.15;
  static constexpr Fitted fitted = Fitted::sm80_mma_64x64x64_unaligned;
  static constexpr Fitted split_fitted = Fitted::sm80_mma_64x64x64_unaligned_split_k;
};

}  // namespace

LIBSGEMM_TENSOR_ROW_OF(tensor_small, sm80_mma_64x64x64_unaligned, LIBSGEMM_MATH_FP32, Config, PairTileOf, MmaEngine)
Kernel sm80_mma_64x64x64_unaligned_split_k() { return tensor_split_kernel<Row>("sm80_mma_64x64x64_unaligned_split_k"); }

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C of 16-bit matrices, on tensor cores from sm_80, at any alignment, where C is small:
// mma.sync, fragments by ldmatrix, operands element by element through registers.
//
// Small products take as long as their chain of waits: here one access to memory for each 128 of k, which overlaps the
// products of the previous 128, and little code to fetch. sm80_mma_128x64x64_unaligned keeps more copies in flight but
// moves rows after they have arrived; this kernel has eight times as many blocks.
//
// Sources: NVIDIA, PTX ISA (mma.sync, ldmatrix and the places of their elements); the loop is described in
// tensor_multistage.cuh (tensor_staged), the tiles in pair_tile.cuh, the fragments in mma.cuh.
//
//   tile of C: 32 x 32           warps 0 to 3: k 0 to 63 of a k-tile, warps 4 to 7: 64 to 127
//   +--------+--------+          warp: 16 x 16 = 1 x 2 blocks D of 16 (columns of C) x 8 (rows): 8 accumulators a lane
//   | warp 0 | warp 2 |
//   +--------+--------+          at the end warps 0 to 3 add the accumulators of 4 to 7
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 2 at (A + B) s: A at 0, B after it. An operand that is contiguous along k: 32 rows
// of 128 elements, 272 apart, 8704; any other: 128 rows of 32 elements, 80 apart, 10240. At most 40960 in all. At the
// end 5120 for accumulators, 32 columns of 40 floats; after them 4096 for the accumulators of warps 4 to 7.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches; sm_80; 40960 bytes of shared memory a
// block. Any size, transposition and alignment.
// Split: more than one slice by the cost model; a workspace of 4 * slices * n * (m rounded up to a multiple of 4) bytes
// a product, at most 32 MiB.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; warp_m, warp_n of a warp; k_groups of warps that share a
// k-tile; threads of all of them; stages of shared memory; blocks, which with the threads bounds the registers;
// peak_fraction for the cost.
//
// Measured (H100 at 1980 MHz, us of a call with cold operands; cuBLAS 13.1 in the same run in brackets):
// 717 x 168 x 93 NN 4.8 (5.1), 410 x 493 x 68 NT 4.8 (5.2), 703 x 154 x 214 TN 5.8 (6.4), where
// sm80_mma_128x64x64_unaligned takes 7.4, 7.3 and 8.8; split, 21 x 787 x 4072 NN 15.8 (13.5), 6637 x 27 x 15533 NT 137
// (177). K-tiles of 64 by four warps, and of 256 by 16: at most as fast.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "pair_tile.cuh"
#include "tensor_multistage.cuh"
#include "tensor_row.h"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 32, 32, 128, 16, 16> {
  static constexpr int min_arch = 80;
  static constexpr int k_groups = 2, threads = 256;
  static constexpr int stages = 2;
  static constexpr int blocks = 4;  // resident on a multiprocessor
  static constexpr bool any_alignment = true;
  static constexpr double peak_fraction = 0.08;
  static constexpr Fitted fitted = Fitted::sm80_mma_32x32x128_unaligned;
  static constexpr Fitted split_fitted = Fitted::sm80_mma_32x32x128_unaligned_split_k;
};

}  // namespace

LIBSGEMM_TENSOR_ROW_OF(tensor_small, sm80_mma_32x32x128_unaligned, LIBSGEMM_MATH_FP32, Config, PairTileOf, MmaEngine)
Kernel sm80_mma_32x32x128_unaligned_split_k() {
  return tensor_split_kernel<Row>("sm80_mma_32x32x128_unaligned_split_k");
}

}  // namespace libsgemm::cuda

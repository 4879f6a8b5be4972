// C = alpha op(A) op(B) + beta C of 16-bit matrices, on tensor cores from sm_80: mma.sync, fragments by ldmatrix from
// swizzled shared memory, asynchronous copies several k-tiles ahead. As sm80_mma_128x128x32_split_k it cuts k into
// slices, for few tiles and deep k; split_k_sum() adds them in order.
//
// Adds to the previous step (sm80_wmma_256x128x32_multistage): no padding and no bank conflicts, because it is known
// which lane holds what.
//
// Sources: NVIDIA, PTX ISA (mma.sync, ldmatrix and the places of their elements); the loop is described in
// tensor_multistage.cuh, the swizzle in tensor_tile.cuh, the fragments in mma.cuh.
//
//   tile of C: 128 x 128
//   +--------+--------+
//   | warp 0 | warp 2 |
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+
//
//   warp: 64 x 64 = 4 x 8 blocks D of 16 (columns of C) x 8 (rows)    lane l of a block
//   +----+----+-- m                                                     columns of C l / 4, and 8 more
//   |16x8|    |                                                         rows 2 (l % 4), and one more
//   +----+----+--
//   n                                                                   32 blocks of 4 accumulators: 128 registers
//
// Shared memory, bytes: stage s of 4 at 16384 s: A at 0, B at 8192. An operand that is contiguous along k: 128 rows of
// 32 elements; any other: 32 rows of 128. 65536 in all. At the end 17408 for accumulators: 32 columns of 136 floats.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches, whose columns and products all start at
// multiples of 16 bytes; sm_80; 65536 bytes of shared memory a block. Any size and transposition.
// Split: more than one slice by the cost model; a workspace of 4 * slices * n * (m rounded up to a multiple of 4) bytes
// a product, at most 32 MiB.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; warp_m, warp_n of a warp; stages of shared memory; blocks,
// which with the threads bounds the registers; peak_fraction for the cost.
//
// Measured (H100 SXM at 1980 MHz, TFLOP/s): FP16 NN 1024 x 1024 x 1024 92, 4096 x 4096 x 4096 408; cuBLAS 13 101, 671.
// The split-K kernel was measured for figures/sm90.h.
#include "gpu/kernels.h"
#include "mma.cuh"
#include "tensor_multistage.cuh"
#include "tensor_row.h"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 128, 128, 32, 64, 64> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 4;
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.65;
  static constexpr Fitted fitted = Fitted::sm80_mma_128x128x32_multistage;
  static constexpr Fitted split_fitted = Fitted::sm80_mma_128x128x32_split_k;
};

}  // namespace

LIBSGEMM_TENSOR_ROW(sm80_mma_128x128x32_multistage, LIBSGEMM_MATH_FP32, Config, MmaTileOf, MmaEngine)
Kernel sm80_mma_128x128x32_split_k() { return tensor_split_kernel<Row>("sm80_mma_128x128x32_split_k"); }

}  // namespace libsgemm::cuda

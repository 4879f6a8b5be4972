// C = alpha op(A) op(B) + beta C of FP32 matrices with FP32-level error, from six products of bfloat16 on tensor cores
// (mode bf16x6, sm_80): A = A0 + A1 + A2, B = B0 + B1 + B2, C = A2 B0 + A1 B1 + A0 B2 + A1 B0 + A0 B1 + A0 B0.
//
// Launches: splits_survey finds the largest magnitude of each row of A and column of B. splits_write scales rows and
// columns by powers of two and writes the splits into the workspace, along k. This kernel multiplies them.
// splits_repair computes the tiles that hold NaN or Inf, or may overflow, by FFMA. If the workspace does not hold all
// splits, k is cut into panels, which C accumulates.
//
// Sources: Henry, Tang, Heinecke, "Leveraging the bfloat16 Artificial Intelligence Datatype For Higher-Precision
// Computations" (2019): the splits and their products; Ootomo, Yokota, "Recovering single precision accuracy from
// Tensor Cores while surpassing the FP32 theoretical peak performance" (2022): FP32 accumulators outside the tensor
// cores; Fasi et al., "Numerical behavior of NVIDIA tensor cores" (2021): their truncation. split_product.cuh describes
// the order of the products.
//
//   tile of C: 128 x 64
//   +--------+--------+
//   | warp 0 | warp 2 |      warp: 64 x 32 = 2 x 8 blocks of 16 (columns) x 8 (rows), mma.cuh, with two sets of 64
//   +--------+--------+      accumulators per thread
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 3 at 36864 s: A0, A1, A2 at 0, 8192, 16384, each 128 rows of 32 elements; B0, B1, B2
// at 24576, 28672, 32768, each 64; 16-byte chunks swizzled. 110592 in all. In the epilogue each warp has 4608 for its
// accumulators, 16 columns of 72 floats, and the exponents of the tile's rows and columns are at 18432. Two blocks per
// multiprocessor: while one adds its accumulators in FP32, the other multiplies.
//
// Requires: gemm of FP32, single or in strided batches; sm_80; 110592 bytes of shared memory per block, which of the
// architectures up to sm_120 only sm_80, sm_90 and sm_100 have; workspace for panels of k = 256: 6 k bytes for each row
// of A and column of B, whose numbers are rounded up to multiples of 128, and 4 for each row and column. Any size,
// transposition and alignment.
//
// Parameters (Config): tile_m, tile_n of a block, which divide the guard's blocks of 128, tile_k; warp_m, warp_n of a
// warp; splits per element; stages of shared memory; blocks, resident per multiprocessor; peak_fraction for the cost.
//
// Measured, H100 (1755 to 1980 MHz), NN, cuBLAS 13.1 FP32 (pedantic) in the same run, 1 GiB of workspace, passes
// included: 1024 32.7 TFLOP/s (cuBLAS 35.4), 2048 57 (50), 4096 67.8 (52), 8192 70.0 (49). With 64 MiB: 64 at
// 4096, 66 at 8192. A tile of 128 x 128, one block per multiprocessor: 63 at 4096 and 8192.
#include "gpu/kernels.h"
#include "gpu/splits/split_row.h"
#include "split_product.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::bf16, 128, 64, 32, 64, 32> {
  static constexpr int splits = 3, stages = 3, blocks = 2;
  static constexpr double peak_fraction = 0.72;
};

}  // namespace

__global__ void __launch_bounds__(Config::threads, Config::blocks)
    sm80_mma_128x64x32_bf16x6(const __grid_constant__ StridedOperands operands,
                              const __grid_constant__ SplitProblem p) {
  split_product<Config>(operands, p);
}

namespace {

struct Row {
  static SplitRow product() { return split_row_of<Config, sm80_mma_128x64x32_bf16x6>(Scheme::bf16x3); }
};

}  // namespace

Kernel sm80_mma_128x64x32_bf16x6() { return split_row_kernel<Row>("sm80_mma_128x64x32_bf16x6", LIBSGEMM_MATH_BF16X6); }

}  // namespace libsgemm::cuda

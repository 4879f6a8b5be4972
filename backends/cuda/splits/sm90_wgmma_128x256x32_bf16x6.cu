// C = alpha op(A) op(B) + beta C of FP32 matrices with FP32-level error, from six products of bfloat16 by wgmma (mode
// bf16x6, sm_90).
//
// Launches: splits_survey finds the largest magnitude of each row of A and column of B. splits_write scales the columns
// of B by powers of two and writes their 3 splits into the workspace, along k. The kernel ..._converting reads A in
// FP32, splits it in shared memory and multiplies. splits_repair computes the tiles that hold NaN or Inf, or may
// overflow. If the workspace does not hold all splits of B, C is computed in blocks of columns, each over all of k. If
// not even 256 columns fit, or a block has too few tiles, k is cut into panels, which C accumulates.
//
// If the splits of both operands fit the workspace, splits_write splits A as well, and the kernel without
// ..._converting multiplies; it is faster by more than the pass takes. A is also split by splits_write if TMA cannot
// read it in place, and already split if it is in a plan. In these cases what does not fit is cut into panels of k.
//
//   tile of C: 256 columns (x) x 128 rows (y); a cluster has two, one below the other in C, which share the columns
//   +--------------------------+
//   | warpgroup 0: 128 columns |   two halves of 64 columns x 128 rows, one after the other on the tensor cores. A
//   +--------------------------+   thread has 64 accumulators there, and 64 in FP32, to which they are added after
//   | warpgroup 1: 128 columns |   every 64 k
//   +--------------------------+   warp 8 copies, warps 9 to 11 convert (wgmma_convert.cuh)
//
// Shared memory, bytes: stage s of 3 at 73728 s: splits of 128 columns and of the other 128 at 0 and 24576, of 128 rows
// at 49152 (24576), where the FP32 elements arrive first. No room for boxes through which C is stored. 6 barriers at
// 221184; 221232 in all.
// Converting: the factors of the rows of two tiles at 221232, 2048; 3 more barriers at 223280; 223304 in all.
//
// Requires: gemm of FP32, single or in strided batches; sm_90; 223304 bytes of shared memory per block; workspace for
// panels of k = 256 of B, 6 k bytes for each column, whose number is rounded up to a multiple of 128, and 4 bytes for
// each row and column. Any size, transposition and alignment. If A is not at a multiple of 16 bytes, or lda or its
// stride is not a multiple of 4, and A is not in a plan: the same workspace for A as for B.
//
// Parameters: the stages of the Shape, kPromoteDepth (wgmma_engine.cuh), kConverters (wgmma_convert.cuh).
//
// Measured, H100, NN, passes included: 1 GiB of workspace 124 TFLOP/s at 8192 and 112 at 4096 (cuBLAS FP32 50);
// converting A, with 64 MiB, 113 and 105.
#include "gpu/kernels.h"
#include "wgmma_split_row.h"

namespace libsgemm::cuda {

__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_bf16x6(const __grid_constant__ WgmmaMaps maps, const __grid_constant__ WgmmaSplitProblem p) {
  wgmma_product<SplitShape<Number::bf16, 3, 3>>(maps, p.product, SplitFinish{p});
}

template <bool kAlongK>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_bf16x6_converting(const __grid_constant__ WgmmaMaps maps,
                                            const __grid_constant__ WgmmaSplitProblem p) {
  wgmma_convert<ConvertShape<Number::bf16, 3, 3, kAlongK>>(maps, p);
}

namespace {

struct Row {
  using Shape = SplitShape<Number::bf16, 3, 3>;
  static WgmmaSplitKernel kernel() { return &sm90_wgmma_128x256x32_bf16x6; }
  template <bool kAlongK>
  static WgmmaSplitKernel converting_kernel() {
    return &sm90_wgmma_128x256x32_bf16x6_converting<kAlongK>;
  }
  static SplitRow product() { return wgmma_split_row<Row>(Scheme::bf16x3, 0.72); }
};

}  // namespace

Kernel sm90_wgmma_128x256x32_bf16x6() {
  return split_row_kernel<Row>("sm90_wgmma_128x256x32_bf16x6", LIBSGEMM_MATH_BF16X6);
}

}  // namespace libsgemm::cuda

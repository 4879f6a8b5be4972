// C = alpha op(A) op(B) + beta C of FP32 matrices with FP32-level error, from six products of bfloat16 by wgmma (mode
// bf16x6, sm_90).
//
// Launches: splits_survey finds the largest magnitude of each row of A and column of B; splits_write scales the columns
// of B by powers of two and writes their 3 splits into the workspace, along k; the kernel ..._converting reads A as it
// lies, splits it on its way to the tensor cores and multiplies; splits_repair computes the tiles that hold NaN or Inf,
// or may overflow. Of a workspace that does not hold all splits of B: block after block of columns of C over all of k,
// or if not even 256 columns fit, or a block has too few tiles, panels of k, which C accumulates.
//
// Where the splits of both operands fit into the workspace, splits_write takes A as well, and the kernel without
// ..._converting multiplies, which is faster by more than the pass takes. So is A that TMA cannot read as it lies, or
// that a plan holds split; what does not fit then is cut into panels of k.
//
//   tile of C: 256 columns (x) x 128 rows (y), two beside each other down C in a cluster, which share the columns
//   +--------------------------+
//   | warpgroup 0: 128 columns |   two halves of 64 columns x 128 rows, one after the other in the tensor cores, each
//   +--------------------------+   with 64 sums a thread there and 64 in FP32, which take them over every 64 steps of k
//   | warpgroup 1: 128 columns |
//   +--------------------------+   warp 8 copies, warps 9 to 11 convert (wgmma_convert.cuh)
//
// Shared memory, bytes: stage s of 3 at 73728 s: splits of 128 columns and of the other 128 at 0 and 24576, of 128
// rows at 49152 (24576), where the FP32 numbers come before. No room for boxes on their way to C; 6 barriers at
// 221184.
// Converting: the factors of the rows of two tiles at 221232, 2048; 3 more barriers at 223280; 223304 in all, else
// 221232.
//
// Requires: gemm of FP32, single or in strided batches; sm_90; 223304 bytes of shared memory a block; workspace for
// panels of 256 steps of k of B, 6 bytes for each column (up to multiples of 128) and step, and 4 bytes for each row
// and column. Any size, transposition and alignment; of A at no multiple of 16 bytes, or lda or its stride no multiple
// of 4, and of A in no plan, workspace as for B.
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

// C = alpha op(A) op(B) + beta C of FP32 matrices with FP32-level error, from three products of fp16 by wgmma (mode
// fp16x3, sm_90).
//
// sm90_wgmma_128x256x32_fp32_fast: the same kernels for mode fp32_fast, which leaves out the tiles whose operands two
// parts do not hold as FP32's bound needs it (splits.h); splits_repair_fp64 computes them, with sums in FP64.
//
// Launches: splits_survey finds the largest magnitude of each row of A and column of B; splits_write scales the columns
// of B by powers of two and writes their 2 splits into the workspace, along k; the kernel ..._converting reads A as it
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
// Shared memory, bytes: stage s of 4 at 49152 s: splits of 128 columns and of the other 128 at 0 and 16384, of 128
// rows at 32768 (16384), where the FP32 numbers come before. Two boxes of each warp on their way to C at 196608, 2048
// each; 8 barriers at 229376. Converting: the factors of the rows of two tiles at 229440, 2048; 4 more barriers at
// 231488; 231520 in all, else 229440.
//
// Requires: gemm of FP32, single or in strided batches; sm_90; 231520 bytes of shared memory a block; workspace for
// panels of 256 steps of k of B, 4 bytes for each column (up to multiples of 128) and step, and 4 bytes for each row
// and column (fp32_fast: 8). Any size, transposition and alignment; of A at no multiple of 16 bytes, or lda or its
// stride no multiple of 4, and of A in no plan, workspace as for B.
//
// Parameters: the stages of the Shape, kPromoteDepth (wgmma_engine.cuh), kConverters (wgmma_convert.cuh).
//
// Measured, H100, NN: both operands split by the pass, 1 GiB of workspace, passes included, 220 TFLOP/s at 8192 and 186
// at 4096 (cuBLAS FP32 50); with 64 MiB 123 and 138. Converting A,
// with 64 MiB: 187 and 166 NN, 168 and 150 TN; with 1 GiB no faster.
#include "gpu/kernels.h"
#include "gpu/splits/keeping_bound.h"
#include "wgmma_split_row.h"

namespace libsgemm::cuda {

__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_fp16x3(const __grid_constant__ WgmmaMaps maps, const __grid_constant__ WgmmaSplitProblem p) {
  wgmma_product<SplitShape<Number::f16, 2, 4>>(maps, p.product, SplitFinish{p});
}

template <bool kAlongK>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_fp16x3_converting(const __grid_constant__ WgmmaMaps maps,
                                            const __grid_constant__ WgmmaSplitProblem p) {
  wgmma_convert<ConvertShape<Number::f16, 2, 4, kAlongK>>(maps, p);
}

namespace {

struct Row {
  using Shape = SplitShape<Number::f16, 2, 4>;
  static WgmmaSplitKernel kernel() { return &sm90_wgmma_128x256x32_fp16x3; }
  template <bool kAlongK>
  static WgmmaSplitKernel converting_kernel() {
    return &sm90_wgmma_128x256x32_fp16x3_converting<kAlongK>;
  }
  static SplitRow product() { return wgmma_split_row<Row>(Scheme::fp16x2, 0.72); }
};

}  // namespace

Kernel sm90_wgmma_128x256x32_fp16x3() {
  return split_row_kernel<Row>("sm90_wgmma_128x256x32_fp16x3", LIBSGEMM_MATH_FP16X3);
}
Kernel sm90_wgmma_128x256x32_fp32_fast() { return fp32_fast_kernel<Row>("sm90_wgmma_128x256x32_fp32_fast"); }

}  // namespace libsgemm::cuda

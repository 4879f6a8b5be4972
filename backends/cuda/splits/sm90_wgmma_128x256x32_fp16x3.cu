// C = alpha op(A) op(B) + beta C of FP32 matrices with FP32-level error, from three products of fp16 by wgmma (mode
// fp16x3, sm_90). Figures: docs/kernels/splits.md.
//
// sm90_wgmma_128x256x32_fp32_fast: the same for mode fp32_fast (splits.h).
//
// splits_write splits both operands, except those whose splits a plan has, if all splits fit the workspace or TMA
// cannot read A in place. Otherwise it splits only B, and the slower kernel ..._converting splits A in shared memory.
// Launches, panels and blocks of columns: split_kernel.h. Splits, and sources: splits.h.
//
//   tile of C: 256 columns (x) x 128 rows (y); a cluster has two, one below the other in C, which share the columns
//   +--------------------------+
//   | warpgroup 0: 128 columns |   two halves of 64 columns x 128 rows, one after the other on the tensor cores. A
//   +--------------------------+   thread has 64 accumulators there, and 64 in FP32, to which they are added after
//   | warpgroup 1: 128 columns |   every 64 k
//   +--------------------------+   warp 8 copies, warps 9 to 11 convert (wgmma_convert.cuh)
//
// Shared memory: 4 stages of the splits of columns and rows; two boxes of each warp, through which C is stored;
// barriers. The converting kernel copies A's FP32 elements to the stages first, and also has the factors of the rows of
// two tiles.
//
// Requires: gemm of FP32, single or in strided batches; sm_90; 231520 bytes of shared memory per block; workspace for
// panels of k = 256 of B, 4 k bytes for each column, whose number is rounded up to a multiple of 128, and 4 bytes for
// each row and column (fp32_fast: 8). Any size, transposition and alignment. If A is not at a multiple of 16 bytes, or
// lda or its stride is not a multiple of 4, and A is not in a plan: the same workspace for A as for B.
#include "gpu/kernels.h"
#include "gpu/splits/keeping_bound.h"
#include "wgmma_split_kernel.h"

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

struct DeviceCode {
  using Shape = SplitShape<Number::f16, 2, 4>;
  static WgmmaSplitKernel kernel() { return &sm90_wgmma_128x256x32_fp16x3; }
  template <bool kAlongK>
  static WgmmaSplitKernel converting_kernel() {
    return &sm90_wgmma_128x256x32_fp16x3_converting<kAlongK>;
  }
  static SplitProduct product() { return wgmma_split_product<DeviceCode>(Scheme::fp16x2, 0.72); }
};

}  // namespace

KernelList sm90_wgmma_128x256x32_fp16x3() {
  return {split_product_kernel<DeviceCode>("sm90_wgmma_128x256x32_fp16x3", LIBSGEMM_MATH_FP16X3),
          fp32_fast_kernel<DeviceCode>("sm90_wgmma_128x256x32_fp32_fast")};
}
}  // namespace libsgemm::cuda

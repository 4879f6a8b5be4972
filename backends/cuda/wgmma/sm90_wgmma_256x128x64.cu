// C = alpha op(A) op(B) + beta C of 16-bit matrices on sm_90, by wgmma. One device kernel has tiles of all widths W
// that are multiples of 16; each width is a kernel of the table. Main loop and sources: wgmma_engine.cuh; choice of the
// configuration: wgmma_plan.cpp; figures: docs/kernels/wgmma.md.
//
// In sm90_wgmma_*_split_k blocks take slices of k, whose sums go to the workspace.
//
//   tile of C: W x 128 or W x 64, or transposed
//
//   y, W            (m, or n where C is computed transposed)
//   +-------------------------+
//   | warpgroup 0             |  64 of x       a warp: 16 rows of x; a thread: W / 2 accumulators, pairs along y
//   +-------------------------+
//   | warpgroup 1             |  64            W x 64: the same 64 rows, every other stage
//   +-------------------------+
//   warpgroup 2: one lane copies               W x 128: clusters of 1, 2 or 4 blocks (WgmmaCluster)
//
// Shared memory, 224 KiB: up to 12 stages of x and W columns of y (rounded up to 64 if y is MN-major), 192 KiB; boxes
// in flight to C, 32 KiB; barriers. In tiles of 64 rows accumulators pass through half of the boxes.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches, whose columns and products all start at
// multiples of 16 bytes; code for sm_90a.
#include "gpu/kernels.h"
#include "wgmma_width_kernel.h"

namespace libsgemm::cuda {

template <Number kNumber, bool XAlongK, bool YAlongK, int kCluster, int kRows>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_256x128x64(const __grid_constant__ WgmmaMaps maps, const __grid_constant__ WgmmaProblem p) {
  wgmma_product<WgmmaAnyWidth16<kNumber, XAlongK, YAlongK, kCluster, kRows>>(maps, p, PlainFinish());
}

namespace {
struct Kernels {
  template <Number kNumber, bool XAlongK, bool YAlongK, int kCluster, int kRows>
  static WgmmaKernel kernel() {
    return &sm90_wgmma_256x128x64<kNumber, XAlongK, YAlongK, kCluster, kRows>;
  }
};

template <int kRows, int kWidth>
Kernel whole(const char *name) {
  return wgmma_width_kernel<Kernels, kRows, kWidth, false>(name);
}
template <int kRows, int kWidth>
Kernel split(const char *name) {
  return wgmma_width_kernel<Kernels, kRows, kWidth, true>(name);
}
}  // namespace

KernelList sm90_wgmma_256x128x64() {
  return {
      whole<128, 256>("sm90_wgmma_256x128x64"),
      whole<128, 240>("sm90_wgmma_240x128x64"),
      whole<128, 224>("sm90_wgmma_224x128x64"),
      whole<128, 208>("sm90_wgmma_208x128x64"),
      whole<128, 192>("sm90_wgmma_192x128x64"),
      whole<128, 176>("sm90_wgmma_176x128x64"),
      whole<128, 160>("sm90_wgmma_160x128x64"),
      whole<128, 144>("sm90_wgmma_144x128x64"),
      whole<128, 128>("sm90_wgmma_128x128x64"),
      whole<128, 112>("sm90_wgmma_112x128x64"),
      whole<128, 96>("sm90_wgmma_96x128x64"),
      whole<128, 80>("sm90_wgmma_80x128x64"),
      whole<128, 64>("sm90_wgmma_64x128x64"),
      whole<128, 48>("sm90_wgmma_48x128x64"),
      whole<128, 32>("sm90_wgmma_32x128x64"),
      whole<128, 16>("sm90_wgmma_16x128x64"),
      whole<64, 64>("sm90_wgmma_64x64x64"),
      whole<64, 48>("sm90_wgmma_48x64x64"),
      whole<64, 32>("sm90_wgmma_32x64x64"),
      whole<64, 16>("sm90_wgmma_16x64x64"),
      split<128, 240>("sm90_wgmma_240x128x64_split_k"),
      split<128, 224>("sm90_wgmma_224x128x64_split_k"),
      split<128, 208>("sm90_wgmma_208x128x64_split_k"),
      split<128, 192>("sm90_wgmma_192x128x64_split_k"),
      split<128, 176>("sm90_wgmma_176x128x64_split_k"),
      split<128, 160>("sm90_wgmma_160x128x64_split_k"),
      split<128, 144>("sm90_wgmma_144x128x64_split_k"),
      split<128, 128>("sm90_wgmma_128x128x64_split_k"),
      split<128, 112>("sm90_wgmma_112x128x64_split_k"),
      split<128, 96>("sm90_wgmma_96x128x64_split_k"),
      split<128, 80>("sm90_wgmma_80x128x64_split_k"),
      split<128, 64>("sm90_wgmma_64x128x64_split_k"),
      split<128, 48>("sm90_wgmma_48x128x64_split_k"),
      split<128, 32>("sm90_wgmma_32x128x64_split_k"),
      split<128, 16>("sm90_wgmma_16x128x64_split_k"),
      split<64, 64>("sm90_wgmma_64x64x64_split_k"),
      split<64, 48>("sm90_wgmma_48x64x64_split_k"),
      split<64, 32>("sm90_wgmma_32x64x64_split_k"),
      split<64, 16>("sm90_wgmma_16x64x64_split_k"),
  };
}

}  // namespace libsgemm::cuda

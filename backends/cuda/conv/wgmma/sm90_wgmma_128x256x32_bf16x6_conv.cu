// Convolutions and their data gradients with FP32-level error, from six products of bfloat16 by wgmma (mode bf16x6,
// sm_90). Launches, tiles and requirements are those of sm90_wgmma_128x256x32_fp16x3_conv, with 3 splits and 6 bytes
// for each element.
//
// Shared memory, bytes, for 256 pixels x 128 filters: stage s of 3 at 73728 s: splits of the pixels at 0, of the
// filters at 49152 (24576); no room for the boxes of stores; 6 barriers at 221184; 221232 in all. Other tiles:
// kConvStages (wgmma_conv_row.h).
//
// Measured (H100 SXM, CUDA 13.0, 1980 MHz; whole calls, NHWC, TFLOP/s; in brackets: the FP64 kernel): 3 x 3 of 256
// channels, 32 x 14 x 14: 81 (51); of 128, 16 x 112 x 112: 81 (58); of 64, 32 x 56 x 56: 52 (53).
#include "gpu/kernels.h"
#include "wgmma_conv.cuh"
#include "wgmma_conv_row.h"

namespace libsgemm::cuda {
template <int kHalves, int kN, int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_128x256x32_bf16x6_conv(const __grid_constant__ WgmmaMaps maps,
                                      const __grid_constant__ WgmmaConvProblem p) {
  wgmma_conv<ConvShape<Scheme::bf16x3, kHalves, kN, kCluster>>(maps, p);
}

namespace {

struct Row {
  static constexpr Scheme scheme = Scheme::bf16x3;
  static constexpr double peak_fraction = 0.77;
  template <int kHalves, int kN, int kCluster>
  static WgmmaConvKernel kernel() {
    return &sm90_wgmma_128x256x32_bf16x6_conv<kHalves, kN, kCluster>;
  }
};

}  // namespace

Kernel sm90_wgmma_128x256x32_bf16x6_conv() {
  return wgmma_conv_kernel<Row>("sm90_wgmma_128x256x32_bf16x6_conv", LIBSGEMM_MATH_BF16X6);
}

}  // namespace libsgemm::cuda

// As sm90_wgmma_128x256x32_fp16x3.cu, from six products of bfloat16 (mode bf16x6). No mode fp32_fast. 3 stages leave no
// room for boxes through which C is stored.
//
// Requires: 223304 bytes of shared memory per block; 6 k bytes of workspace for each column of B, instead of 4 k.
#include "gpu/kernels.h"
#include "wgmma_split_kernel.h"

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

struct DeviceCode {
  using Shape = SplitShape<Number::bf16, 3, 3>;
  static WgmmaSplitKernel kernel() { return &sm90_wgmma_128x256x32_bf16x6; }
  template <bool kAlongK>
  static WgmmaSplitKernel converting_kernel() {
    return &sm90_wgmma_128x256x32_bf16x6_converting<kAlongK>;
  }
  static SplitProduct product() { return wgmma_split_product<DeviceCode>(Scheme::bf16x3, 0.72); }
};

}  // namespace

KernelList sm90_wgmma_128x256x32_bf16x6() {
  return split_product_kernel<DeviceCode>("sm90_wgmma_128x256x32_bf16x6", LIBSGEMM_MATH_BF16X6);
}

}  // namespace libsgemm::cuda

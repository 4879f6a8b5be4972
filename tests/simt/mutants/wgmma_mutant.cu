// For mutants: the wgmma main loop with a pair of blocks and few stages.
#include "cuda/wgmma/wgmma_kernel.h"
#include "gpu/kernels.h"

namespace libsgemm::cuda {
namespace {

using OneShape = WgmmaShape<Number::f16, ptx::AlongK<128>, ptx::AlongOuter<64>, 1, 128, 64, 2, 2>;

__global__ void __launch_bounds__(kWgmmaThreads, 1)
    one(const __grid_constant__ WgmmaMaps maps, const __grid_constant__ WgmmaProblem p) {
  wgmma_product<OneShape>(maps, p, PlainFinish());
}

struct DeviceCode {
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP32;
  static constexpr Fitted fitted = Fitted::sm90_wgmma_128x128x64_grouped;
  static constexpr int most_cluster = 2;
  template <Number, bool, bool, int>
  using Shape = OneShape;  // pairs, even for few tiles
  template <Number, bool, bool, int>
  static WgmmaKernel kernel() {
    return &one;
  }
};

Plan prepare(const GemmDesc &desc, int index) {
  const WgmmaSides sides = WgmmaTiles<DeviceCode>::sides(desc);
  const bool fits = desc.type == Type::f16 && sides.x_along_k && !sides.y_along_k;
  return fits ? prepare_wgmma<DeviceCode>(desc, index) : Plan();
}

}  // namespace

KernelList sm90_wgmma_128x128x64_mutant() {
  Kernel kernel = wgmma_kernel<DeviceCode>("sm90_wgmma_128x128x64_mutant");
  kernel.prepare = prepare;
  return kernel;
}

}  // namespace libsgemm::cuda

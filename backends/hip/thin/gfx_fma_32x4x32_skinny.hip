// As gfx_fma_32x8x32_skinny.hip, with m or n up to 4, and 4 columns a thread.
#include "gpu/kernels.h"
#include "skinny_kernel.h"

namespace libsgemm::hip {

template <typename Config>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(32 * skinny::kWarps, 1)
    gfx_fma_32x4x32_skinny(const __grid_constant__ SkinnyWork work) {
  skinny::compute<Config>(work);
}

namespace {

struct Shape {
  static constexpr int narrow_thread = 4, quads = 2, narrow_most = 4, resident = 2;
  static constexpr double fma_share = 0.3;
};

struct DeviceCode : SkinnyCode<DeviceCode, Shape> {
  template <typename Config>
  static auto kernel_for() {
    return &gfx_fma_32x4x32_skinny<Config>;
  }
};

}  // namespace

KernelList gfx_fma_32x4x32_skinny() { return skinny_kernel<DeviceCode>("gfx_fma_32x4x32_skinny"); }

}  // namespace libsgemm::hip

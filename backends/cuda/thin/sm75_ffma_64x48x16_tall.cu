// Like sm75_ffma_128x32x16_tall.cu, for min(m, n) up to 96. A warp computes 64 x 48 (8 x 4 lanes), a thread 8 x 12.
#include "gpu/kernels.h"
#include "skinny_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Shape {
  static constexpr int wide_thread = 8, narrow_thread = 12, wide_lanes = 8, narrow_lanes = 4;
  static constexpr int chunk = 16, stages = 2, warps = 4, resident = 2;
  static constexpr int narrow_most = 96;
  static constexpr Shared shared = Shared::sm75_ffma_64x48x16_tall;
  static constexpr double ffma_share = 0.68;
  static constexpr double slowdown = 1.45;
};

}  // namespace

LIBSGEMM_SKINNY_CODE(sm75_ffma_64x48x16_tall)

KernelList sm75_ffma_64x48x16_tall() { return skinny::measured_kernel<DeviceCode, Shape>("sm75_ffma_64x48x16_tall"); }

}  // namespace libsgemm::cuda

// As sm75_ffma_32x16x32_skinny, with m or n up to 8, and 8 columns a thread. Not measured.
#include "gpu/kernels.h"
#include "skinny_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Shape {
  static constexpr int wide_thread = 4, narrow_thread = 8, wide_lanes = 8, narrow_lanes = 1;
  static constexpr int chunk = 32, stages = 3, warps = 8, resident = 1;
  static constexpr int narrow_most = 8;
  static constexpr Shared shared = Shared::sm75_ffma_32x8x32_skinny;
  static constexpr double ffma_share = 0.55;
  static constexpr double slowdown = 1.0;
};

}  // namespace

LIBSGEMM_SKINNY_CODE(sm75_ffma_32x8x32_skinny)

KernelList sm75_ffma_32x8x32_skinny() { return skinny::measured_kernel<DeviceCode, Shape>("sm75_ffma_32x8x32_skinny"); }

}  // namespace libsgemm::cuda

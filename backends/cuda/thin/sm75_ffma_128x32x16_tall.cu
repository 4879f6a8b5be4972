// C = alpha op(A) op(B) + beta C with m or n up to 32, otherwise like sm75_ffma_32x16x32_skinny. A warp (16 x 2 lanes)
// has 128 x 32 of R (skinny.cuh), so every element of X serves 32 columns. The warps of a block divide a long k,
// otherwise rows. 100 KiB of shared memory.
#include "gpu/kernels.h"
#include "skinny_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Shape {
  static constexpr int wide_thread = 8, narrow_thread = 16, wide_lanes = 16, narrow_lanes = 2;
  static constexpr int chunk = 16, stages = 2, warps = 4, resident = 2;
  static constexpr int narrow_most = 32;
  static constexpr Shared shared = Shared::sm75_ffma_128x32x16_tall;
  static constexpr double ffma_share = 0.7;
  static constexpr double slowdown = 1.0001;
};

}  // namespace

LIBSGEMM_SKINNY_CODE(sm75_ffma_128x32x16_tall)

KernelList sm75_ffma_128x32x16_tall() { return skinny::measured_kernel<DeviceCode, Shape>("sm75_ffma_128x32x16_tall"); }

}  // namespace libsgemm::cuda

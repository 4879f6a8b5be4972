// C = alpha op(A) op(B) + beta C with m or n up to 16.
//
// A block has 32 rows and, if k is long enough, all of k: each of its 8 warps takes every eighth chunk of 32. A warp
// has 32 rows (8 x 4) and 16 columns; 4 groups of lanes divide k. Sources, lanes and shared memory (162 KiB):
// skinny.cuh. Why, and figures: docs/kernels/ffma.md.
//
// Requires: gemm of FP32; one product or a strided batch; min(m, n) <= 16; any transposition, alignment and leading
// dimension.
#include "gpu/kernels.h"
#include "skinny_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Shape {
  static constexpr int wide_thread = 4, narrow_thread = 16, wide_lanes = 8, narrow_lanes = 1;
  static constexpr int chunk = 32, stages = 3, warps = 8, resident = 1;
  static constexpr int narrow_most = 16;
  static constexpr Shared shared = Shared::sm75_ffma_32x16x32_skinny;
  static constexpr double ffma_share = 0.6;
  static constexpr double slowdown = 1.0;
};

}  // namespace

LIBSGEMM_SKINNY_CODE(sm75_ffma_32x16x32_skinny)

KernelList sm75_ffma_32x16x32_skinny() {
  return skinny::measured_kernel<DeviceCode, Shape>("sm75_ffma_32x16x32_skinny");
}

}  // namespace libsgemm::cuda

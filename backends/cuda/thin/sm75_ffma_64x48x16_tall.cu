// As sm75_ffma_128x32x16_tall, with one short side of about 48; min(m, n) <= 96.
//
//   warp: 64 rows x 48 columns      lanes: 8 rows x 4 columns      thread: 8 rows x 12 columns
//
// Shared memory, bytes: at most 17920 a warp (a slot has 5120 of X and 3840 of Y), 71680 in all.
//
// Measured (H100): 35 x 8457 x 2560 16 to 17 TFLOP/s, cuBLAS 17 to 19.
#include "gpu/kernels.h"
#include "skinny_row.h"

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

LIBSGEMM_SKINNY_ROW(sm75_ffma_64x48x16_tall)

}  // namespace libsgemm::cuda

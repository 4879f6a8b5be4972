// C = alpha op(A) op(B) + beta C with one side of about 64, by three persistent blocks of 4 warps for each
// multiprocessor. Sources and ring: thin.cuh, thin_copy.cuh. Why, and figures: docs/kernels/ffma.md.
//
//   tile of R: 128 x 64           warp: 64 x 32 = 8 x 4 lanes       thread: 8 rows x 8 columns
//   +--------+--------+           first row 4 r, column 4 c         2 groups of 4 rows, 32 apart
//   | warp 0 | warp 2 |           r = 2 (lane / 8) + lane % 2       2 groups of 4 columns, 16 apart
//   +--------+--------+           c = lane / 2 % 4
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Requires: gemm of FP32; 51 KiB of shared memory; one product or a strided batch; min(m, n) <= 128; any transposition,
// alignment and leading dimension; fewer than 2^31 k-tiles in all.
#include "gpu/kernels.h"
#include "thin_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Traits {
  struct Shape {
    static constexpr int warps_wide = 2, warps_narrow = 2, narrow_thread = 8, k_groups = 1;
    static constexpr int chunk = 16, stages = 4, resident = 3;
  };
  static constexpr int narrow_most = 128;
  static constexpr Shared shared = Shared::sm75_ffma_128x64x16_thin;
  static constexpr bool share_tiles = true;
  static constexpr double start_seconds = 0.4e-6;
  static constexpr double ffma_share[2][2] = {{0.71, 0.68}, {0.64, 0.61}};
};

}  // namespace

LIBSGEMM_THIN_CODE(sm75_ffma_128x64x16_thin)

KernelList sm75_ffma_128x64x16_thin() { return thin::thin_kernel<DeviceCode>("sm75_ffma_128x64x16_thin"); }

}  // namespace libsgemm::cuda

// sm75_ffma_128x64x16_thin for one side of about 48 and a long k: a multiprocessor has two persistent blocks of 4
// warps, and each warp computes the whole tile, 64 x 48, over a quarter of every k-tile. Why: docs/kernels/ffma.md.
//
// Source: Kerr et al., "CUTLASS: Fast Linear Algebra in CUDA C++", 2017 (sliced k).
//
// Requires: 58 KiB of shared memory; min(m, n) <= 96.
#include "gpu/kernels.h"
#include "thin_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Traits {
  struct Shape {
    static constexpr int warps_wide = 1, warps_narrow = 1, narrow_thread = 12, k_groups = 4;
    static constexpr int chunk = 32, stages = 4, resident = 2;
  };
  static constexpr int narrow_most = 96;
  static constexpr Shared shared = Shared::sm75_ffma_64x48x32_thin;
  static constexpr bool share_tiles = true;
  static constexpr double start_seconds = 1.2e-6;
  static constexpr double ffma_share[2][2] = {{0.65, 0.60}, {0.57, 0.54}};
};

}  // namespace

LIBSGEMM_THIN_CODE(sm75_ffma_64x48x32_thin)

KernelList sm75_ffma_64x48x32_thin() { return thin::thin_kernel<DeviceCode>("sm75_ffma_64x48x32_thin"); }

}  // namespace libsgemm::cuda

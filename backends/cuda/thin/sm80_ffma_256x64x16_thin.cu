// The product of sm75_ffma_128x64x16_thin for a short k: two blocks for each multiprocessor, with as many accumulators
// as registers hold (warps of 64 x 64). Blocks do not share tiles: partial sums would be too much traffic.
//
// Requires: sm_80; 85 KiB of shared memory.
#include "gpu/kernels.h"
#include "thin_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Traits {
  struct Shape {
    static constexpr int warps_wide = 4, warps_narrow = 1, narrow_thread = 16, k_groups = 1;
    static constexpr int chunk = 16, stages = 4, resident = 2;
  };
  static constexpr int narrow_most = 128;
  static constexpr Shared shared = Shared::sm80_ffma_256x64x16_thin;
  static constexpr bool share_tiles = false;
  static constexpr double start_seconds = 0.2e-6;
  static constexpr double ffma_share[2][2] = {{0.72, 0.69}, {0.53, 0.53}};
};

}  // namespace

LIBSGEMM_THIN_CODE(sm80_ffma_256x64x16_thin)

KernelList sm80_ffma_256x64x16_thin() { return thin::thin_kernel<DeviceCode>("sm80_ffma_256x64x16_thin"); }

}  // namespace libsgemm::cuda

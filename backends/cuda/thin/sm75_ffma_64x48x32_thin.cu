// As sm75_ffma_128x64x16_thin, with one side of about 48 and a long k: two blocks for each multiprocessor, whose 4
// warps divide every k-tile, because 48 columns would not make enough warps otherwise. Their sums are added in shared
// memory.
//
// Source of that: Kerr et al., "CUTLASS: Fast Linear Algebra in CUDA C++", 2017 (sliced k).
//
//   tile of R: 64 x 48      warp: all of it, 8 x 4 lanes; a quarter of k      thread: 8 rows x 12 columns
//
// Shared memory, bytes: 4 slots of at most 14784, 59136 in all (X: 64 rows of 32 floats, 8448; Y: 48 rows, 6336). The
// sums of the 4 warps take 52224.
//
// Requires: 58 KiB of shared memory; min(m, n) <= 96.
// Measured (H100): 35 x 8457 x 2560 21 to 22 TFLOP/s, cuBLAS 17 to 18.
#include "gpu/kernels.h"
#include "thin_row.h"

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

LIBSGEMM_THIN_ROW(sm75_ffma_64x48x32_thin)

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C with m or n up to 16.
//
// A block has 32 rows and, if k is long enough, all of k: each of its 8 warps takes every eighth chunk of 32. So 4096
// rows make 128 blocks, one for each multiprocessor of an H100, and need no second kernel to add partial sums.
//
// Sources, lanes and shared memory: skinny.cuh. Why: docs/kernels/ffma.md.
//
//   warp: 32 rows x 16 columns x 32 of k      lanes: 8 rows x 4 groups of k
//   thread: 4 rows x 16 columns; 2 quads of k
//
// Shared memory, bytes: a slot of a warp has X at 0 (4608; 4096 if not contiguous along k) and Y after it (at most
// 2304). A warp's ring has three slots, at most 20736; 8 warps 165888.
//
// Requires: gemm of FP32; one product or a strided batch; min(m, n) <= 16; any transposition, alignment and leading
// dimension.
// Measured (H100): 16 x 4096 x 4096 16 to 18 TFLOP/s, cuBLAS 12 to 13.
#include "gpu/kernels.h"
#include "skinny_row.h"

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

LIBSGEMM_SKINNY_ROW(sm75_ffma_32x16x32_skinny)

}  // namespace libsgemm::cuda

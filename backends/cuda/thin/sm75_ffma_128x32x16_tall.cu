// C = alpha op(A) op(B) + beta C with one short side of about 32.
//
// A warp has 128 x 32 of R and as many accumulators as a thread can hold, so every loaded element of X is used for 32
// columns. The warps of a block divide k if it is long enough, otherwise rows. Blocks share tiles if there are too few.
//
// Sources, lanes and shared memory: skinny.cuh. Why: docs/kernels/ffma.md.
//
//   warp: 128 rows x 32 columns      lanes: 16 rows x 2 columns
//   thread: 8 rows x 16 columns; all 4 quads of a chunk
//
// Shared memory, bytes: a slot of a warp has X at 0 (10240; 8192 if not contiguous along k) and Y after it (at most
// 2560). A warp's ring has two slots, at most 25600; 4 warps 102400.
//
// Requires: gemm of FP32; one product or a strided batch; min(m, n) <= 32; any transposition, alignment and leading
// dimension.
// Measured (H100): 32768 x 32 x 1024 26 to 35 TFLOP/s, cuBLAS 23 to 30.
#include "gpu/kernels.h"
#include "skinny_row.h"

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

LIBSGEMM_SKINNY_ROW(sm75_ffma_128x32x16_tall)

}  // namespace libsgemm::cuda

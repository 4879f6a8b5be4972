// sm75_ffma_64x48x16_tall: C = alpha op(A) op(B) + beta C with one short side, of about 48.
//
// A warp has 64 x 48 of R and as many accumulators as a thread can hold, so every loaded element of X is used for 48
// columns. The warps of a block divide k if it is long enough, otherwise rows. Blocks share tiles if there are too few.
//
// Source: the roofline of a matrix-vector product (one multiply-add for each element read, so memory decides), rings of
// asynchronous copies (NVIDIA, CUDA C++ Programming Guide, "Asynchronous Data Copies"), and stream-K for tiles that are
// too few (Osama et al., PPoPP 2023). Tile, lanes and shared memory are drawn in skinny.cuh.
//
//   warp: 64 rows x 48 columns      lanes: 8 rows x 4 columns      thread: 8 rows x 12 columns; all 4 quads of a chunk
//
// Shared memory, bytes: a slot of a warp has X at 0 (5120; 4096 if not contiguous along k) and Y after it (at most
// 3840); two slots are one warp's ring, at most 17920 bytes; 4 warps 71680.
//
// Requires: gemm of FP32; one product or a strided batch; min(m, n) <= 96; any transposition, alignment and leading
// dimension.
//
// Parameters (Shape): wide_thread x narrow_thread accumulators of a thread; wide_lanes x narrow_lanes lanes of a warp,
// the other lanes divide k; chunk and stages of a warp's ring; warps of a block; resident blocks that registers must
// allow; narrow_most; ffma_share of the peak and slowdown, for the cost.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 35 x 8457 x 2560 NN, NT, TN, TT 16, 16, 17, 17; cuBLAS 13.1 18,
// 19, 17, 18.
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

// sm75_ffma_32x8x32_skinny: C = alpha op(A) op(B) + beta C with m or n up to 8.
//
// A block has 32 rows and, if k is long enough, all of k: each of its 8 warps takes every eighth chunk of 32. So 4096
// rows make 128 blocks, one for each multiprocessor of an H100, and need no second kernel to add partial sums.
//
// Source: the roofline of a matrix-vector product (one multiply-add for each element read, so memory decides), rings of
// asynchronous copies (NVIDIA, CUDA C++ Programming Guide, "Asynchronous Data Copies"), and stream-K for tiles that are
// too few (Osama et al., PPoPP 2023). Tile, lanes and shared memory are drawn in skinny.cuh.
//
//   warp: 32 rows x 8 columns x 32 of k      lanes: 8 rows x 4 groups of k      thread: 4 rows x 8 columns; 2 quads of
//   k
//
// Shared memory, bytes: a slot of a warp has X at 0 (4608; 4096 if not contiguous along k) and Y after it (at most
// 1152); three slots are one warp's ring, at most 17280 bytes; 8 warps 138240.
//
// Requires: gemm of FP32; one product or a strided batch; min(m, n) <= 8; any transposition, alignment and leading
// dimension.
//
// Parameters (Shape): wide_thread x narrow_thread accumulators of a thread; wide_lanes x narrow_lanes lanes of a warp,
// the other lanes divide k; chunk and stages of a warp's ring; warps of a block; resident blocks that registers must
// allow; narrow_most; ffma_share of the peak and slowdown, for the cost.
//
// Measured: its results on an H100, by the tests; its speed not yet.
#include "gpu/kernels.h"
#include "skinny_row.h"

namespace libsgemm::cuda {
namespace {

struct Shape {
  static constexpr int wide_thread = 4, narrow_thread = 8, wide_lanes = 8, narrow_lanes = 1;
  static constexpr int chunk = 32, stages = 3, warps = 8, resident = 1;
  static constexpr int narrow_most = 8;
  static constexpr Shared shared = Shared::sm75_ffma_32x8x32_skinny;
  static constexpr double ffma_share = 0.55;
  static constexpr double slowdown = 1.0;
};

}  // namespace

LIBSGEMM_SKINNY_ROW(sm75_ffma_32x8x32_skinny)

}  // namespace libsgemm::cuda

// sm75_ffma_32x1x32_vector: C = alpha op(A) op(B) + beta C with m or n = 1, the product of a matrix and a vector.
//
// A block has 32 rows and, where k is long enough, all of k: its 8 warps take every eighth chunk of 32. So 4096 rows
// make 128 blocks, one for each multiprocessor of an H100, and need no second kernel to add partial sums.
//
// Source: the roofline of a matrix-vector product (one multiply-add for each element read, so memory decides), rings of
// asynchronous copies (NVIDIA, CUDA C++ Programming Guide, "Asynchronous Data Copies"), and stream-K for tiles that are
// too few (Osama et al., PPoPP 2023). Tile, lanes and shared memory are drawn in skinny.cuh.
//
//   warp: 32 rows x 32 of k      lanes: 8 rows x 4 groups of k      thread: 4 rows; 8 of the 32 of k, as 2 quads
//
// Shared memory, bytes: a slot of a warp has X at 0 (4608; 4096 if not contiguous along k) and Y behind it (144);
// three slots are one warp's ring, 14256 bytes in all; 8 warps 114048.
//
// Requires: gemm of FP32; one product or a strided batch; min(m, n) = 1; any transposition, alignment and leading
// dimension.
//
// Parameters (Shape): wide_thread x narrow_thread sums of a thread; wide_lanes x narrow_lanes lanes of a warp, the
// other lanes divide k; chunk and stages of a warp's ring; warps of a block; resident blocks that registers must allow;
// narrow_most; ffma_share of the peak and slowdown, for the cost.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 1 x 4096 x 4096 at 80 to 82 % of the bandwidth of a copy (3.0
// TB/s): 27.3 to 27.8 us; cuBLAS 13.1 25.1 to 29.0 us.
#include "kernels.h"
#include "skinny_row.h"

namespace libsgemm::cuda {

template <typename Config>
__global__ void __launch_bounds__(32 * Config::warps, Config::resident)
    sm75_ffma_32x1x32_vector(const __grid_constant__ SkinnyWork work) {
  skinny::compute<Config>(work);
}

namespace {

struct Row {
  struct Shape {
    static constexpr int wide_thread = 4, narrow_thread = 1, wide_lanes = 8, narrow_lanes = 1;
    static constexpr int chunk = 32, stages = 3, warps = 8, resident = 2;
    static constexpr int narrow_most = 1;
    static constexpr double ffma_share = 0.25;
    static constexpr double slowdown = 1.0;
  };
  template <typename Config>
  static auto kernel() {
    return &sm75_ffma_32x1x32_vector<Config>;
  }
};

}  // namespace

Kernel sm75_ffma_32x1x32_vector() { return skinny::row<Row>("sm75_ffma_32x1x32_vector"); }

}  // namespace libsgemm::cuda

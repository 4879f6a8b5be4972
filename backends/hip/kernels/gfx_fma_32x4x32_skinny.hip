// C = alpha op(A) op(B) + beta C with m or n up to 4, on any AMD GPU: the long operand streamed once, through
// registers.
//
// A block has 32 rows and, where k is long enough, all of k: its 8 warps (32 consecutive threads each) take every
// eighth chunk of 32. The plan (gpu/skinny.cpp) gives the blocks equal shares where that makes too few of them;
// skinny_sum.hip then adds what they leave, in the order of k.
//
// Source: the roofline of a matrix-vector product (one multiply-add for each element read, so memory decides), and
// stream-K for tiles that are too few (Osama et al., PPoPP 2023). Tile, lanes and LDS are drawn in skinny.h.
//
//   warp: 32 rows x 4 columns x 32 of k      lanes: 8 of rows x 4 groups of k      thread: 4 rows x 4 columns; 2 quads
//
// Shared memory, bytes: a warp's chunk of Y, at 640 w for warp w; 8 warps 5120. At the end of a tile it holds the
// sums.
//
// Requires: gemm of FP32; one product or a strided batch; min(m, n) <= 4; k >= 32; any transposition, alignment and
// leading dimension.
//
// Parameters (Shape): narrow_thread columns and `quads` of k of a thread; narrow_most, the longest short side; resident
// blocks of a compute unit and fma_share of the peak of fused multiply-adds, both assumed, for the cost.
//
// Not yet run on AMD hardware. ISA (hipcc 5.2.3 and clang 19, seven chips): at most 150 registers, no vector spills, no
// scratch, no flat_.
#include "gpu/kernels.h"
#include "skinny_row.h"

namespace libsgemm::hip {

template <typename Config>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(32 * skinny::kWarps, 1)
    gfx_fma_32x4x32_skinny(const __grid_constant__ SkinnyWork work) {
  skinny::compute<Config>(work);
}

namespace {

struct Shape {
  static constexpr int narrow_thread = 4, quads = 2, narrow_most = 4, resident = 2;
  static constexpr double fma_share = 0.3;
};

struct Row : SkinnyRow<Row, Shape> {
  template <typename Config>
  static auto kernel_for() {
    return &gfx_fma_32x4x32_skinny<Config>;
  }
};

}  // namespace

Kernel gfx_fma_32x4x32_skinny() { return skinny_kernel<Row>("gfx_fma_32x4x32_skinny"); }

}  // namespace libsgemm::hip

// C = alpha op(A) op(B) + beta C, on AMD GPUs with FP32 matrix cores (gfx908, 90a, 942, 950): waves of 64 multiply
// blocks of 32 x 32 by v_mfma_f32_32x32x2f32. Main loop and source: matrix.h; why this is true FP32: matrix_cores.h;
// LDS and machine code: docs/kernels/amd.md.
//
// _split_k, for a C of few tiles and deep k, has a block for each slice of k, and split_k_sum().
//
//   tile of C: 128 x 128              wave: 64 x 64 = 2 x 2 blocks      lane: row lane % 32 of a block, 16 columns:
//   +---------+---------+             +---------+---------+             4 groups of 4, 8 apart, from 4 (lane / 32)
//   | wave 0  | wave 2  |             | 32 x 32 |         |
//   +---------+---------+             +---------+---------+
//   | wave 1  | wave 3  |             |         |         |
//   +---------+---------+             +---------+---------+
//
// Requires: gemm of FP32; gfx908, 90a, 942 or 950; any transposition, alignment, size and batch. _split_k: one product
// or a strided batch, and a workspace of 4 slices ceil(m, 4) n bytes a product, at most 32 MiB.
#include "gpu/kernels.h"
#include "gpu/tiles/split_k_kernel.h"
#include "matrix.h"
#include "matrix_kernel.h"

namespace libsgemm::hip {

namespace {

struct Config : MatrixShape<MfmaFloats, 128, 128, 16, 64, 64> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx908_mfma_128x128x16_ping_pong;
};

}  // namespace

template <Fetch KindA, Fetch KindB, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)
    gfx908_mfma_128x128x16_ping_pong(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {
  if constexpr (Config::Core::available) matrix_floats<Config, KindA, KindB>(operands, p);
}

namespace {

struct DeviceCode : MatrixCode<Config> {
  static bool runs_on(int index) { return has_mfma(index); }
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &gfx908_mfma_128x128x16_ping_pong<KindA, KindB, Operands>;
  }
};

}  // namespace

KernelList gfx908_mfma_128x128x16_ping_pong() {
  return {tile_kernel<DeviceCode>("gfx908_mfma_128x128x16_ping_pong"),
          split_k_kernel<DeviceCode>("gfx908_mfma_128x128x16_split_k")};
}
}  // namespace libsgemm::hip

// C = alpha op(A) op(B) + beta C, on any AMD GPU: four buffers of LDS that swap addresses, 8 x 8 elements a thread.
// Main loop and source: valu.h; LDS, figures and machine code: docs/kernels/amd.md.
//
// _split_k, for a C of few tiles and deep k, has a block for each slice of a tile; split_k_sum() adds the slices.
//
//   tile of C: 128 x 128                      half wave: 64 x 32 = 8 x 4 lanes    thread: 8 x 8
//   +--------+--------+--------+--------+     first row 4 r, column 4 c           2 groups of 4 rows, 32 apart
//   | half 0 | half 2 | half 4 | half 6 |     r = 2 (lane / 8) + lane % 2         2 groups of 4 columns, 16 apart
//   +--------+--------+--------+--------+     c = lane / 2 % 4
//   | half 1 | half 3 | half 5 | half 7 |     A half is 32 consecutive threads: a wave on RDNA.
//   +--------+--------+--------+--------+
//
// Requires: gemm of FP32; any transposition, alignment, size and batch. _split_k: one product or a strided batch, and a
// workspace of 4 slices m n bytes a product, m rounded up to a multiple of 4, at most 32 MiB.
#include "gpu/kernels.h"
#include "gpu/tiles/split_k_kernel.h"
#include "valu.h"
#include "valu_kernel.h"

namespace libsgemm::hip {

namespace {

struct Config : TileShape<128, 128, 8, 8, 8, 8, 2> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx_fma_128x128x8_ping_pong;
};

}  // namespace

template <Fetch KindA, Fetch KindB, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)
    gfx_fma_128x128x8_ping_pong(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {
  ping_pong<Config, KindA, KindB>(operands, p);
}

namespace {

struct DeviceCode : ValuCode<Config> {
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &gfx_fma_128x128x8_ping_pong<KindA, KindB, Operands>;
  }
};

}  // namespace

KernelList gfx_fma_128x128x8_ping_pong() {
  return {chain_kernel<DeviceCode>("gfx_fma_128x128x8_ping_pong"),
          split_k_kernel<DeviceCode>("gfx_fma_128x128x8_split_k")};
}
}  // namespace libsgemm::hip

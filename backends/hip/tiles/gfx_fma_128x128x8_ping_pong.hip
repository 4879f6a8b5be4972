// C = alpha op(A) op(B) + beta C, on any AMD GPU: four buffers of LDS that swap addresses, 8 x 8 elements a thread.
// Main loop and source: valu.h.
//
// _split_k: for a C of few tiles and deep k. The same kernel, with a block for each slice of k, and split_k_sum().
//
//   tile of C: 128 x 128                      half wave: 64 x 32 = 8 x 4 lanes    thread: 8 x 8
//   +--------+--------+--------+--------+     first row 4 r, column 4 c           2 groups of 4 rows, 32 apart
//   | half 0 | half 2 | half 4 | half 6 |     r = 2 (lane / 8) + lane % 2         2 groups of 4 columns, 16 apart
//   +--------+--------+--------+--------+     c = lane / 2 % 4
//   | half 1 | half 3 | half 5 | half 7 |     A half is 32 consecutive threads: a wave on RDNA.
//   +--------+--------+--------+--------+
//
// Shared memory, bytes: pair p of 2 at 8192 p: tileA at 0 (8 rows of 128 floats), tileB at 4096 (the same). Rows of a
// K-major operand are 132 floats long; a pair then has up to 8448. Storing C takes 8704.
//
// Requires: gemm of FP32; any transposition, alignment, size and batch. _split_k: one product or a strided batch, and a
// workspace of 4 slices ceil(m, 4) n bytes a product, at most 32 MiB.
//
// Not yet run on AMD hardware. Compiled by nvcc on an H100 (1980 MHz): 4096 38.8 to 42.2 TFLOP/s, 75 to 83 % of cuBLAS
// 13.1 FP32. Machine code: docs/kernels/amd.md.
#include "gpu/kernels.h"
#include "gpu/tiles/split_k_row.h"
#include "valu.h"
#include "valu_row.h"

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

struct Row : ValuRow<Config> {
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &gfx_fma_128x128x8_ping_pong<KindA, KindB, Operands>;
  }
};

}  // namespace

Kernel gfx_fma_128x128x8_ping_pong() { return chain_kernel<Row>("gfx_fma_128x128x8_ping_pong"); }
Kernel gfx_fma_128x128x8_split_k() { return split_k_kernel<Row>("gfx_fma_128x128x8_split_k"); }

}  // namespace libsgemm::hip

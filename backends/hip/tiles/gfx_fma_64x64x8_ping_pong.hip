// As gfx_fma_128x128x8_ping_pong.hip, with 8 x 4 elements a thread, for products that have too few tiles of 128 x 128.
//
//   tile of C: 64 x 64            half wave: 32 x 32 = 4 x 8 lanes    thread: 8 x 4
//   +--------+--------+           first row 4 r, column 4 c           2 groups of 4 rows, 16 apart
//   | half 0 | half 2 |           r = lane / 2 % 4                    4 columns
//   +--------+--------+           c = 2 (lane / 8) + lane % 2
//   | half 1 | half 3 |           A half is 32 consecutive threads: a wave on RDNA.
//   +--------+--------+
//
// Shared memory, bytes: pair p of 2 at 4096 p: tileA at 0 (8 rows of 64 floats), tileB at 2048 (the same). Rows of a
// K-major operand are 68 floats long; a pair then has up to 4352. Storing C takes 4608.
//
// Compiled by nvcc on an H100 (1980 MHz): 4096 40.0 to 43.6 TFLOP/s, 78 to 86 % of cuBLAS 13.1 FP32.
#include "gpu/kernels.h"
#include "gpu/tiles/split_k_row.h"
#include "valu.h"
#include "valu_row.h"

namespace libsgemm::hip {

namespace {

struct Config : TileShape<64, 64, 8, 8, 4, 4, 2> {
  static constexpr int blocks = 4;
  static constexpr Fitted fitted = Fitted::gfx_fma_64x64x8_ping_pong;
};

}  // namespace

template <Fetch KindA, Fetch KindB, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)
    gfx_fma_64x64x8_ping_pong(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {
  ping_pong<Config, KindA, KindB>(operands, p);
}

namespace {

struct Row : ValuRow<Config> {
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &gfx_fma_64x64x8_ping_pong<KindA, KindB, Operands>;
  }
};

}  // namespace

Kernel gfx_fma_64x64x8_ping_pong() { return chain_kernel<Row>("gfx_fma_64x64x8_ping_pong"); }
Kernel gfx_fma_64x64x8_split_k() { return split_k_kernel<Row>("gfx_fma_64x64x8_split_k"); }

}  // namespace libsgemm::hip

// As gfx_fma_128x128x8_ping_pong.hip, on AMD GPUs with enough registers, with 16 x 8 elements a thread: for one k a
// thread reads 6 vectors for 128 products, instead of 4 for 64. Where v_pk_fma_f32 doubles the rate of products, tiles
// of 8 x 8 would keep LDS as busy as the arithmetic.
//
//   tile of C: 256 x 128                          half wave: 128 x 32 = 8 x 4 lanes   thread: 16 x 8
//   +--------+--------+--------+--------+ rows    first row 4 r, column 4 c           4 groups of 4 rows, 32 apart
//   | half 0 | half 2 | half 4 | half 6 | 128     r = 2 (lane / 8) + lane % 2         2 groups of 4 columns, 16 apart
//   +--------+--------+--------+--------+         c = lane / 2 % 4
//   | half 1 | half 3 | half 5 | half 7 | 128     A half is 32 consecutive threads: a wave on RDNA.
//   +--------+--------+--------+--------+
//
// Shared memory, bytes: pair p of 2 at 12288 p: tileA at 0 (8 rows of 256 floats), tileB at 8192 (8 rows of 128). Rows
// of a K-major operand are 4 floats longer; a pair then has up to 12544. Storing C takes 16896.
//
// Requires: gemm of FP32; CDNA2, CDNA3 or RDNA2; any transposition, alignment, size and batch. No split_k.
//
// Compiled by nvcc on an H100 (1980 MHz): 4096 34.4 to 36.6 TFLOP/s, 69 to 71 % of cuBLAS 13.1 FP32.
#include "gpu/kernels.h"
#include "valu.h"
#include "valu_row.h"

namespace libsgemm::hip {

namespace {

// Compilers for gfx906 and gfx908 have 256 registers. For gfx11 and later, some versions spill hundreds.
#if defined(__gfx906__) || defined(__gfx908__) || defined(__GFX11__) || defined(__GFX12__)
constexpr bool kHasRegisters = false;
#else
constexpr bool kHasRegisters = true;
#endif

struct Config : TileShape<256, 128, 8, 16, 8, 8, 2> {
  static constexpr int blocks = 1;
  static constexpr Fitted fitted = Fitted::gfx_fma_256x128x8_ping_pong;
};

}  // namespace

template <Fetch KindA, Fetch KindB, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)
    gfx_fma_256x128x8_ping_pong(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {
  if constexpr (kHasRegisters) ping_pong<Config, KindA, KindB>(operands, p);
}

namespace {

struct Row : ValuRow<Config> {
  static bool runs_on(int index) {
    const Family family = device(index).family;
    return family == Family::cdna2 || family == Family::cdna3 || family == Family::rdna2 || family == Family::foreign;
  }
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &gfx_fma_256x128x8_ping_pong<KindA, KindB, Operands>;
  }
};

}  // namespace

Kernel gfx_fma_256x128x8_ping_pong() { return chain_kernel<Row>("gfx_fma_256x128x8_ping_pong"); }

}  // namespace libsgemm::hip

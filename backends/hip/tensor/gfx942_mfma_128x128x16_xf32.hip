// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode tf32, on gfx942. Its matrix cores multiply numbers
// of 11 bits at four times the rate of FP32 (xf32); gfx950 has no such instruction.
//
// Waves of 64 multiply blocks of 32 x 32 by v_mfma_f32_32x32x4_xf32. AMD does not document what xf32 does with numbers
// that are not TF32. Operands are therefore rounded to the nearest TF32 numbers, ties to even, when they are stored in
// LDS, by seven instructions for two elements. matrix.h describes the loop.
//
// Source: patent CN110147248B.
//
//   tile of C, waves, lanes and shared memory: those of gfx908_mfma_128x128x16_ping_pong
//
// Requires: gemm of FP32; code for gfx942 itself, not for its family; any transposition, alignment, size and batch.
//
// Parameters (Config): those of gfx908_mfma_128x128x16_ping_pong.
//
// Not yet run on AMD hardware. ISA (clang 19): no spills, no scratch; by LLVM's model a single wave keeps its matrix
// core busy for 95 to 97 % of the time with vectors, for 73 to 76 % element by element. The 16 matrix instructions of a
// k-tile leave room for 112 others, of which 103 are used, 56 of them for rounding. (An earlier version used one
// instruction per element for NaN, and branches around fetches: 121 instructions, unevenly distributed, and 84 %.)
#include "gpu/kernels.h"
#include "matrix.h"
#include "matrix_row.h"

namespace libsgemm::hip {

namespace {

struct Config : MatrixShape<MfmaXf32, 128, 128, 16, 64, 64> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx942_mfma_128x128x16_xf32;
};

}  // namespace

template <Fetch KindA, Fetch KindB, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)
    gfx942_mfma_128x128x16_xf32(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {
  if constexpr (Config::Core::available) matrix_floats<Config, KindA, KindB>(operands, p);
}

namespace {

struct Row : Xf32Row<Config> {
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &gfx942_mfma_128x128x16_xf32<KindA, KindB, Operands>;
  }
};

}  // namespace

Kernel gfx942_mfma_128x128x16_xf32() { return in_tf32(tile_kernel<Row>("gfx942_mfma_128x128x16_xf32")); }

}  // namespace libsgemm::hip

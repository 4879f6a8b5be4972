// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode tf32, on gfx942, whose matrix cores multiply numbers
// of 11 bits at four times the rate of FP32 (xf32; gfx950 has no such instruction).
//
// Waves of 64 multiply blocks of 32 x 32 by v_mfma_f32_32x32x4_xf32. Operands are rounded to the nearest TF32 numbers,
// ties to even, on their way into LDS, by seven instructions for two, since AMD does not say what xf32 makes of other
// numbers. The loop is described in matrix.h.
//
// Source: patent CN110147248B.
//
//   tile of C, waves, lanes and shared memory: as gfx908_mfma_128x128x16_ping_pong
//
// Requires: gemm of FP32; code for gfx942 itself, not for its family; any transposition, alignment, size and batch.
//
// Parameters (Config): as of gfx908_mfma_128x128x16_ping_pong.
//
// Not yet run on AMD hardware. ISA (clang 19): no spills, no scratch; by LLVM's model a single wave keeps its matrix
// core busy for 95 to 97 % of the time with vectors, for 73 to 76 % element by element. Of 112 instructions for which
// there is room behind the 16 of a k-tile 103 are taken, 56 of them by rounding. (A NaN by an instruction for each
// element, and fetches behind branches, took 121, in lumps: 84 %.)
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

// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode tf32, on gfx942, whose matrix cores multiply numbers
// of 11 bits at four times the rate of FP32 (xf32; gfx950 has no such instruction).
//
// Waves of 64 multiply blocks of 32 x 32 by v_mfma_f32_32x32x4_xf32. Operands are rounded to the nearest TF32 numbers,
// ties to even, on their way into LDS. The loop is described in matrix.h.
//
// Source: patent CN110147248B.
//
//   tile of C, waves, lanes and shared memory: as gfx908_mfma_128x128x16_ping_pong
//
// Requires: gemm of FP32; code for gfx942 itself, not for its family; any transposition, alignment, size and batch.
//
// Parameters (Config): as of gfx908_mfma_128x128x16_ping_pong.
//
// Not yet run on AMD hardware.
#include "gpu/kernels.h"
#include "matrix.h"
#include "matrix_row.h"

namespace libsgemm::hip {

namespace {

struct Config : MatrixShape<MfmaXf32, 128, 128, 16, 64, 64> {
  static constexpr int blocks = 2;
  static constexpr int rate = 512;              // fused multiply-adds of a compute unit in a clock
  static constexpr double peak_fraction = 0.6;  // of it; assumed
};

}  // namespace

template <Fetch KindA, Fetch KindB, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)
    gfx942_mfma_128x128x16_xf32(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {
  if constexpr (Config::Core::available) matrix_floats<Config, KindA, KindB>(operands, p);
}

namespace {

struct Row : MatrixRow<Config> {
  static bool runs_on(int index) { return std::strncmp(device(index).code_name, "gfx94", 5) == 0; }
  static Tiling tiling(const GemmDesc &desc, int index) {
    Tiling tiling = MatrixRow::tiling(desc, index);
    tiling.figures.peak_fraction = Config::peak_fraction * Config::rate / device(index).fma_per_clock;
    return tiling;
  }
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &gfx942_mfma_128x128x16_xf32<KindA, KindB, Operands>;
  }
};

}  // namespace

Kernel gfx942_mfma_128x128x16_xf32() {
  Kernel kernel = tile_kernel<Row>("gfx942_mfma_128x128x16_xf32");
  kernel.math_mode = LIBSGEMM_MATH_TF32;
  kernel.truncates = true;
  return kernel;
}

}  // namespace libsgemm::hip

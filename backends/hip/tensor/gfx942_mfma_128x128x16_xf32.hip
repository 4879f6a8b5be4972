// C = alpha op(A) op(B) + beta C of FP32 matrices in math mode tf32, on gfx942, whose matrix cores multiply numbers of
// 11 bits at four times the rate of FP32 (v_mfma_f32_32x32x4_xf32). Operands are rounded to the nearest TF32 numbers,
// ties to even, when they are stored in LDS. Why, and machine code: docs/kernels/amd.md. Main loop and tiles: as
// gfx908_mfma_128x128x16_ping_pong.
//
// Requires: gemm of FP32; code for gfx942 itself, not for its family; any transposition, alignment, size and batch.
#include "gpu/kernels.h"
#include "matrix.h"
#include "matrix_kernel.h"

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

struct DeviceCode : Xf32Code<Config> {
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &gfx942_mfma_128x128x16_xf32<KindA, KindB, Operands>;
  }
};

}  // namespace

KernelList gfx942_mfma_128x128x16_xf32() { return in_tf32(tile_kernel<DeviceCode>("gfx942_mfma_128x128x16_xf32")); }

}  // namespace libsgemm::hip

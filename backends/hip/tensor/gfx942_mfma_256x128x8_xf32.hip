// As gfx942_mfma_128x128x16_xf32.hip, with tiles twice as high (waves of 128 x 64), for a large C. Why:
// docs/kernels/amd.md.
#include "gpu/kernels.h"
#include "matrix.h"
#include "matrix_kernel.h"

namespace libsgemm::hip {

namespace {

struct Config : MatrixShape<MfmaXf32, 256, 128, 8, 128, 64> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx942_mfma_256x128x8_xf32;
};

}  // namespace

// Without the bound the compiler uses too many registers for two waves of a SIMD.
template <Fetch KindA, Fetch KindB, typename Operands>
__global__ void __launch_bounds__(Config::threads, 2)
    gfx942_mfma_256x128x8_xf32(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {
  if constexpr (Config::Core::available) matrix_floats<Config, KindA, KindB>(operands, p);
}

namespace {

struct DeviceCode : Xf32Code<Config> {
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &gfx942_mfma_256x128x8_xf32<KindA, KindB, Operands>;
  }
};

}  // namespace

KernelList gfx942_mfma_256x128x8_xf32() { return in_tf32(tile_kernel<DeviceCode>("gfx942_mfma_256x128x8_xf32")); }

}  // namespace libsgemm::hip

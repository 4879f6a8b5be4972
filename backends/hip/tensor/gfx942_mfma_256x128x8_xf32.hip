// As gfx942_mfma_128x128x16_xf32.hip, with tiles twice as high, for a large C: a thread rounds three quarters of the
// elements and reads three quarters of the fragments for each product.
//
//   tile of C: 256 x 128              wave: 128 x 64 = 4 x 2 blocks     lane: of a block row lane % 32, 16 columns:
//   +---------+---------+             +---------+---------+             4 groups of 4, 8 apart, from 4 (lane / 32)
//   | wave 0  | wave 2  |             | 32 x 32 |         |
//   |         |         |             +---------+---------+
//   +---------+---------+             |         |         |
//   | wave 1  | wave 3  |             ...
//   |         |         |
//   +---------+---------+
//
// Shared memory, bytes: pair p of 2 at 12288 p: tileA at 0 (8 rows of 256 floats), tileB at 8192 (8 rows of 128). 24576
// in all.
#include "gpu/kernels.h"
#include "matrix.h"
#include "matrix_row.h"

namespace libsgemm::hip {

namespace {

struct Config : MatrixShape<MfmaXf32, 256, 128, 8, 128, 64> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx942_mfma_256x128x8_xf32;
};

}  // namespace

// Limits the registers so that a SIMD holds two waves; the compiler would use more than it needs, and only one would
// fit.
template <Fetch KindA, Fetch KindB, typename Operands>
__global__ void __launch_bounds__(Config::threads, 2)
    gfx942_mfma_256x128x8_xf32(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {
  if constexpr (Config::Core::available) matrix_floats<Config, KindA, KindB>(operands, p);
}

namespace {

struct Row : Xf32Row<Config> {
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &gfx942_mfma_256x128x8_xf32<KindA, KindB, Operands>;
  }
};

}  // namespace

Kernel gfx942_mfma_256x128x8_xf32() { return in_tf32(tile_kernel<Row>("gfx942_mfma_256x128x8_xf32")); }

}  // namespace libsgemm::hip

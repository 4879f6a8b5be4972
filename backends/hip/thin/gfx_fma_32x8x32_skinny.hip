// C = alpha op(A) op(B) + beta C with m or n up to 16, on any AMD GPU. Picture of the tile, lanes and LDS: skinny.h;
// machine code: docs/kernels/amd.md.
//
// A block has 32 rows and, if k is deep enough, all of k: each of its 8 warps (32 consecutive threads) takes every
// eighth chunk of 32 k. More than 8 columns are two adjacent tiles, of which the second one finds the long operand in
// L2.
//
// Source: the roofline of a matrix-vector product.
//
// Requires: gemm of FP32; one product or a strided batch; min(m, n) up to the above; k >= 32; any transposition,
// alignment and leading dimension.
#include "gpu/kernels.h"
#include "skinny_kernel.h"

namespace libsgemm::hip {

template <typename Config>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(32 * skinny::kWarps, 1)
    gfx_fma_32x8x32_skinny(const __grid_constant__ SkinnyWork work) {
  skinny::compute<Config>(work);
}

namespace {

struct Shape {
  static constexpr int narrow_thread = 8, quads = 2, narrow_most = 16, resident = 2;
  static constexpr double fma_share = 0.4;
};

struct DeviceCode : SkinnyCode<DeviceCode, Shape> {
  template <typename Config>
  static auto kernel_for() {
    return &gfx_fma_32x8x32_skinny<Config>;
  }
};

}  // namespace

KernelList gfx_fma_32x8x32_skinny() { return skinny_kernel<DeviceCode>("gfx_fma_32x8x32_skinny"); }

}  // namespace libsgemm::hip

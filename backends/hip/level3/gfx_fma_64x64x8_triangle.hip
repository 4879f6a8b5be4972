// As gfx_fma_128x128x8_triangle.hip, with the tiles of gfx_fma_64x64x8_ping_pong.
#include "triangle_kernel.h"

namespace libsgemm::hip {
namespace {

struct Config : TileShape<64, 64, 8, 8, 4, 4, 2> {
  static constexpr int blocks = 4;
  static constexpr Fitted fitted = Fitted::gfx_fma_64x64x8_ping_pong;
};

struct DeviceCode : ValuCode<Config> {};

}  // namespace

LIBSGEMM_HIP_TRIANGLE_CODE(gfx_fma_64x64x8_triangle, ping_pong_triangle)

KernelList gfx_fma_64x64x8_triangle() {
  return kernel_of_triangle<gfx_fma_64x64x8_triangle_code>("gfx_fma_64x64x8_triangle");
}

}  // namespace libsgemm::hip

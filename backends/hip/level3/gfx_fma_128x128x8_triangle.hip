// Triangles of C on any AMD GPU (gpu/level3/triangle.h). Main loop: valu.h; tiles: gfx_fma_128x128x8_ping_pong.
//
// Requires: a triangle of C in FP32, one or a strided batch; any size, stride and alignment.
#include "triangle_kernel.h"

namespace libsgemm::hip {
namespace {

struct Config : TileShape<128, 128, 8, 8, 8, 8, 2> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx_fma_128x128x8_ping_pong;
};

struct DeviceCode : ValuCode<Config> {};

}  // namespace

LIBSGEMM_HIP_TRIANGLE_CODE(gfx_fma_128x128x8_triangle, ping_pong_triangle)

KernelList gfx_fma_128x128x8_triangle() {
  return kernel_of_triangle<gfx_fma_128x128x8_triangle_code>("gfx_fma_128x128x8_triangle");
}

}  // namespace libsgemm::hip

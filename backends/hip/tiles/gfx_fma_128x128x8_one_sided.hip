// symm and trmm on any AMD GPU: 128 x 128 tiles of C. A from its stored triangle: square_stream.h; trmm: one_sided.h;
// main loop: valu.h; tiles: gfx_fma_128x128x8_ping_pong, with padded rows of A.
//
// Requires: symm of FP32; or trmm, one or a strided batch, with workspace for a copy of C, 4 ceil(m, 4) n bytes a
// product. Any size below 2^31, stride and alignment.
#include "one_sided_kernel.h"

namespace libsgemm::hip {
namespace {

struct Config : TileShape<128, 128, 8, 8, 8, 8, 2> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx_fma_128x128x8_ping_pong;
};

struct DeviceCode : ValuCode<Config> {};

}  // namespace

LIBSGEMM_HIP_ONE_SIDED_CODE(gfx_fma_128x128x8_symm, symm, ping_pong_one_sided)

KernelList gfx_fma_128x128x8_symm() {
  return kernel_of_one_sided<gfx_fma_128x128x8_symm_code>("gfx_fma_128x128x8_symm");
}
LIBSGEMM_HIP_ONE_SIDED_CODE(gfx_fma_128x128x8_trmm, trmm, ping_pong_one_sided)

KernelList gfx_fma_128x128x8_trmm() {
  return kernel_of_one_sided<gfx_fma_128x128x8_trmm_code>("gfx_fma_128x128x8_trmm");
}

}  // namespace libsgemm::hip

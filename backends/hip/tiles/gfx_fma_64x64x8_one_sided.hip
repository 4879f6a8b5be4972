// As gfx_fma_128x128x8_one_sided.hip, with the tiles of gfx_fma_64x64x8_ping_pong.
#include "one_sided_kernel.h"

namespace libsgemm::hip {
namespace {

struct Config : TileShape<64, 64, 8, 8, 4, 4, 2> {
  static constexpr int blocks = 4;
  static constexpr Fitted fitted = Fitted::gfx_fma_64x64x8_ping_pong;
};

struct DeviceCode : ValuCode<Config> {};

}  // namespace

LIBSGEMM_HIP_ONE_SIDED_CODE(gfx_fma_64x64x8_symm, symm, ping_pong_one_sided)

KernelList gfx_fma_64x64x8_symm() { return kernel_of_one_sided<gfx_fma_64x64x8_symm_code>("gfx_fma_64x64x8_symm"); }
LIBSGEMM_HIP_ONE_SIDED_CODE(gfx_fma_64x64x8_trmm, trmm, ping_pong_one_sided)

KernelList gfx_fma_64x64x8_trmm() { return kernel_of_one_sided<gfx_fma_64x64x8_trmm_code>("gfx_fma_64x64x8_trmm"); }

}  // namespace libsgemm::hip

// As gfx_fma_128x128x8_one_sided.hip, with the tiles of gfx_fma_64x64x8_ping_pong.
#include "one_sided_row.h"

namespace libsgemm::hip {
namespace {

struct Config : TileShape<64, 64, 8, 8, 4, 4, 2> {
  static constexpr int blocks = 4;
  static constexpr Fitted fitted = Fitted::gfx_fma_64x64x8_ping_pong;
};

struct Row : ValuRow<Config> {};

}  // namespace

LIBSGEMM_HIP_ONE_SIDED_ROW(gfx_fma_64x64x8_symm, symm, ping_pong_one_sided)
LIBSGEMM_HIP_ONE_SIDED_ROW(gfx_fma_64x64x8_trmm, trmm, ping_pong_one_sided)

}  // namespace libsgemm::hip

// As gfx_fma_128x128x8_one_sided.hip, with the tiles and loop of gfx90a_dmfma_128x128x8_ping_pong (mode fp64).
#include "dmfma_128x128x8.h"
#include "hip/tensor/matrix_one_sided.h"
#include "hip/tiles/one_sided_row.h"

namespace libsgemm::hip {
namespace {

struct Config : DmfmaConfig {
  static constexpr int blocks = 1;  // registers suffice for one
};
using Row = Fp64Row<Config>;

}  // namespace

LIBSGEMM_HIP_ONE_SIDED_ROW(gfx90a_dmfma_128x128x8_symm, symm, matrix_one_sided)
LIBSGEMM_HIP_ONE_SIDED_ROW(gfx90a_dmfma_128x128x8_trmm, trmm, matrix_one_sided)

}  // namespace libsgemm::hip

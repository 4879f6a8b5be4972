// As gfx_fma_128x128x8_triangle.hip, with the tiles and loop of gfx90a_dmfma_128x128x8_ping_pong (mode fp64).
#include "hip/fp64/dmfma_128x128x8.h"
#include "matrix_triangle.h"
#include "triangle_row.h"

namespace libsgemm::hip {
namespace {

using Config = DmfmaConfig;
using Row = Fp64Row<Config>;

}  // namespace

LIBSGEMM_HIP_BOUNDED_TRIANGLE_ROW(gfx90a_dmfma_128x128x8_triangle, matrix_triangle, LIBSGEMM_DMFMA_BOUNDS)

}  // namespace libsgemm::hip

// syrk, syr2k and gemmtr of FP32 matrices with FP64 accumulators (mode fp64), on AMD GPUs with FP64 matrix cores
// (gfx90a, 942, 950).
//
// gpu/level3/triangle.h describes which tiles there are, matrix.h the loop. The picture and the map of shared memory
// are those of gfx90a_dmfma_128x128x8_ping_pong.
//
// Requires: syrk, syr2k or gemmtr of FP32, one or a strided batch; one of these GPUs; any size, stride and alignment.
//
// Not yet run on AMD hardware.
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

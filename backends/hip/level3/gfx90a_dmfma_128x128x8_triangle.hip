// As gfx_fma_128x128x8_triangle.hip, with the tiles and loop of gfx90a_dmfma_128x128x8_ping_pong (mode fp64).
#include "hip/fp64/dmfma_128x128x8.h"
#include "matrix_triangle.h"
#include "triangle_kernel.h"

namespace libsgemm::hip {
namespace {

using Config = DmfmaConfig;
using DeviceCode = Fp64Code<Config>;

}  // namespace

LIBSGEMM_HIP_BOUNDED_TRIANGLE_CODE(gfx90a_dmfma_128x128x8_triangle, matrix_triangle, LIBSGEMM_DMFMA_BOUNDS)

KernelList gfx90a_dmfma_128x128x8_triangle() {
  return kernel_of_triangle<gfx90a_dmfma_128x128x8_triangle_code>("gfx90a_dmfma_128x128x8_triangle");
}

}  // namespace libsgemm::hip

// As gfx_fma_128x128x8_one_sided.hip, with the tiles and loop of gfx90a_dmfma_128x128x8_ping_pong (mode fp64).
#include "dmfma_128x128x8.h"
#include "hip/tensor/matrix_one_sided.h"
#include "hip/tiles/one_sided_kernel.h"

namespace libsgemm::hip {
namespace {

struct Config : DmfmaConfig {
  static constexpr int blocks = 1;  // registers suffice for one
};
using DeviceCode = Fp64Code<Config>;

}  // namespace

LIBSGEMM_HIP_ONE_SIDED_CODE(gfx90a_dmfma_128x128x8_symm, symm, matrix_one_sided)

KernelList gfx90a_dmfma_128x128x8_symm() {
  return kernel_of_one_sided<gfx90a_dmfma_128x128x8_symm_code>("gfx90a_dmfma_128x128x8_symm");
}
LIBSGEMM_HIP_ONE_SIDED_CODE(gfx90a_dmfma_128x128x8_trmm, trmm, matrix_one_sided)

KernelList gfx90a_dmfma_128x128x8_trmm() {
  return kernel_of_one_sided<gfx90a_dmfma_128x128x8_trmm_code>("gfx90a_dmfma_128x128x8_trmm");
}

}  // namespace libsgemm::hip

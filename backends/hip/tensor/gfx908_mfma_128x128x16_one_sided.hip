// symm and trmm of hip/tiles/gfx_fma_128x128x8_one_sided.hip on the matrix cores, with the tiles and loop of
// gfx908_mfma_128x128x16_ping_pong.
#include "hip/tiles/one_sided_kernel.h"
#include "matrix_kernel.h"
#include "matrix_one_sided.h"

namespace libsgemm::hip {
namespace {

struct Config : MatrixShape<MfmaFloats, 128, 128, 16, 64, 64> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx908_mfma_128x128x16_ping_pong;
};

struct DeviceCode : MatrixCode<Config> {
  static bool runs_on(int index) { return has_mfma(index); }
};

}  // namespace

LIBSGEMM_HIP_ONE_SIDED_CODE(gfx908_mfma_128x128x16_symm, symm, matrix_one_sided)

KernelList gfx908_mfma_128x128x16_symm() {
  return kernel_of_one_sided<gfx908_mfma_128x128x16_symm_code>("gfx908_mfma_128x128x16_symm");
}
LIBSGEMM_HIP_ONE_SIDED_CODE(gfx908_mfma_128x128x16_trmm, trmm, matrix_one_sided)

KernelList gfx908_mfma_128x128x16_trmm() {
  return kernel_of_one_sided<gfx908_mfma_128x128x16_trmm_code>("gfx908_mfma_128x128x16_trmm");
}

}  // namespace libsgemm::hip

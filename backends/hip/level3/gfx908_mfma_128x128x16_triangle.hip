// Triangles of C on AMD GPUs with FP32 matrix cores, otherwise like gfx_fma_128x128x8_triangle.hip. Tiles and
// loop: gfx908_mfma_128x128x16_ping_pong.
#include "hip/tensor/matrix_kernel.h"
#include "matrix_triangle.h"
#include "triangle_kernel.h"

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

LIBSGEMM_HIP_TRIANGLE_CODE(gfx908_mfma_128x128x16_triangle, matrix_triangle)

KernelList gfx908_mfma_128x128x16_triangle() {
  return kernel_of_triangle<gfx908_mfma_128x128x16_triangle_code>("gfx908_mfma_128x128x16_triangle");
}

}  // namespace libsgemm::hip

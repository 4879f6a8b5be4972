// symm and trmm on AMD GPUs with FP32 matrix cores (gfx908, 90a, 942, 950). A is read from its stored triangle.
//
// square_stream.h describes how A is read, one_sided.h how trmm works, matrix.h the loop. The picture and the map of
// shared memory are those of gfx908_mfma_128x128x16_ping_pong.
//
// Requires: symm of FP32; or trmm, one or a strided batch, with workspace for a copy of C, 4 ceil(m, 4) n bytes a
// product. One of these GPUs; any size below 2^31, stride and alignment.
//
// Not yet run on AMD hardware.
#include "hip/tiles/one_sided_row.h"
#include "matrix_one_sided.h"
#include "matrix_row.h"

namespace libsgemm::hip {
namespace {

struct Config : MatrixShape<MfmaFloats, 128, 128, 16, 64, 64> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx908_mfma_128x128x16_ping_pong;
};

struct Row : MatrixRow<Config> {
  static bool runs_on(int index) { return has_mfma(index); }
};

}  // namespace

LIBSGEMM_HIP_ONE_SIDED_ROW(gfx908_mfma_128x128x16_symm, symm, matrix_one_sided)
LIBSGEMM_HIP_ONE_SIDED_ROW(gfx908_mfma_128x128x16_trmm, trmm, matrix_one_sided)

}  // namespace libsgemm::hip

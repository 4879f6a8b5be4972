// symm and trmm of FP32 matrices with FP64 accumulators (mode fp64), on AMD GPUs with FP64 matrix cores (gfx90a, 942,
// 950). A is read from its stored triangle.
//
// square_stream.h describes how A is read, one_sided.h how trmm works, matrix.h the loop. The picture and the map of
// shared memory are those of gfx90a_dmfma_128x128x8_ping_pong.
//
// Requires: symm of FP32; or trmm, one or a strided batch, with workspace for a copy of C, 4 ceil(m, 4) n bytes a
// product. One of these GPUs; any size below 2^31, stride and alignment.
//
// Not yet run on AMD hardware.
#include "dmfma_128x128x8.h"
#include "hip/tensor/matrix_one_sided.h"
#include "hip/tiles/one_sided_row.h"

namespace libsgemm::hip {
namespace {

struct Config : DmfmaConfig {
  static constexpr int blocks = 1;  // two do not have enough registers
};
using Row = Fp64Row<Config>;

}  // namespace

LIBSGEMM_HIP_ONE_SIDED_ROW(gfx90a_dmfma_128x128x8_symm, symm, matrix_one_sided)
LIBSGEMM_HIP_ONE_SIDED_ROW(gfx90a_dmfma_128x128x8_trmm, trmm, matrix_one_sided)

}  // namespace libsgemm::hip

// As sm90_wgmma_256x128x32_packed.cu, with tiles a quarter of the size, for a C of few tiles.
//
//   tile of C: 64 x 128, or 128 x 64 if A is MN-major; no clusters
//
// Shared memory, bytes: stage s of 7 at 24576 s: x at 0 (128 rows of 32 numbers; or 4 blocks of 32 rows, 32 k each), y
// at 16384 (64 rows); then 32768 of boxes in flight to C and 112 of barriers. 204912 in all.
//
// Measured (H100): 1024 NN 159 TFLOP/s, 1.16 times cuBLAS 13.1. More: docs/kernels/wgmma.md.
#include "tf32_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_PACKED_ROW(sm90_wgmma_64x128x32_packed, 64, 7, 1)

}  // namespace libsgemm::cuda

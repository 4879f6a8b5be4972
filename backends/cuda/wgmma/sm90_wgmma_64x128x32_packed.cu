// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode tf32 on sm_90, by warpgroup instructions: as
// sm90_wgmma_256x128x32_packed, with a tile a quarter of the size, for a C of few tiles.
//
//   tile of C: 64 x 128, or 128 x 64 if A is MN-major; no clusters
//
// Shared memory, bytes: stage s of 7 at 24576 s: x at 0 (128 rows of 32 numbers; or 4 blocks of 32 rows, 32 k each), y
// at 16384 (64 rows); then 32768 of boxes in flight to C and 112 of barriers. 204912 in all.
//
// Requires: as sm90_wgmma_256x128x32_packed.
//
// Parameters of LIBSGEMM_WGMMA_PACKED_ROW: N, stages, blocks of a cluster.
//
// Measured (H100 SXM at 1980 MHz; TFLOP/s, in brackets over cuBLAS 13.1 in TF32): 1024 NN 159 (1.16), NT 113 (0.97), TN
// 188 (1.28), TT 159 (1.15); the kernels for sm_80 reached 86 (0.6). 512 NN 31 (0.99), NT 22 (0.69; the pass takes half
// of the time).
#include "tf32_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_PACKED_ROW(sm90_wgmma_64x128x32_packed, 64, 7, 1)

}  // namespace libsgemm::cuda

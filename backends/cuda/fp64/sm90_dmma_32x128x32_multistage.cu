// As sm90_dmma_64x64x32_multistage.cu, for C of few rows; gemm only.
//
//   tile of C: 32 x 128
//   +--------+--------+--------+--------+   warp: 32 x 32 = 4 x 2 instructions of 8 x 16 (k 16)
//   | warp 0 | warp 1 | warp 2 | warp 3 |
//   +--------+--------+--------+--------+   three blocks per multiprocessor
//
// Shared memory, bytes: stage s of 3 at 22528 s: A at 0 (32 k x 40 floats), B at 5120 (32 x 136). K-major: 32 and 128
// rows of 36 floats, and stages of up to 23552 bytes.
//
// Measured (H200): of 180 random shapes, 54 were fastest with these tiles, with 128 x 32, or with 32 x 32 and split-K.
#include "dmma_row.h"
#include "sm90_dmma_32x128x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma32x128x32;

}  // namespace

LIBSGEMM_DMMA_ROW(sm90_dmma_32x128x32_multistage)

Kernel sm90_dmma_32x128x32_split_k() { return dmma_split_kernel<Row>("sm90_dmma_32x128x32_split_k"); }

}  // namespace libsgemm::cuda

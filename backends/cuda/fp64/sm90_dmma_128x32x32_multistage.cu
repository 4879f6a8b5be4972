// As sm90_dmma_64x64x32_multistage.cu, for C of few columns; gemm only.
//
//   tile of C: 128 x 32, of four warps one below the other; three blocks per multiprocessor
//   warp: 32 x 32 = 4 x 2 instructions of 8 x 16 (k 16)
//
// Shared memory, bytes: stage s of 3 at 22528 s: A at 0 (32 k x 136 floats), B at 17408 (32 x 40). K-major: 128 and 32
// rows of 36 floats, and stages of up to 23552 bytes.
//
// Measured (H200): see sm90_dmma_32x128x32_multistage.cu.
#include "dmma_row.h"
#include "sm90_dmma_128x32x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma128x32x32;

}  // namespace

LIBSGEMM_DMMA_ROW(sm90_dmma_128x32x32_multistage)

Kernel sm90_dmma_128x32x32_split_k() { return dmma_split_kernel<Row>("sm90_dmma_128x32x32_split_k"); }

}  // namespace libsgemm::cuda

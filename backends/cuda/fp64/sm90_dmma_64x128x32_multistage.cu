// As sm90_dmma_64x64x32_multistage.cu, with larger tiles, for large C; gemm only. Tiles of 64 x 64 are faster nearly
// everywhere.
//
//   tile of C: 64 x 128           warp: 32 x 64 = 4 x 4 instructions of 8 x 16 (k 16)
//   +--------+--------+
//   | warp 0 | warp 2 |           two blocks per multiprocessor, so that one multiplies while the other waits at its
//   +--------+--------+           barrier, begins or ends
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 3 at 26624 s: A at 0 (32 k x 72 floats), B at 9216 (32 x 136). K-major: rows of 36
// floats, and stages of up to 27648 bytes.
//
// Measured (H200 at 1980 MHz): 4096 NN 57.3 TFLOP/s (cuBLAS 13.1: 51.3). More: docs/kernels/fp64.md.
#include "dmma_multistage.cuh"
#include "dmma_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : DmmaShape<64, 128, 32, 32, 64> {
  static constexpr int stages = 3;
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::sm90_dmma_64x128x32_multistage;
  static constexpr Fitted split_fitted = Fitted::sm90_dmma_64x128x32_split_k;
  static constexpr double elements = 0.93;
  static constexpr double by_floats = 6;
};

}  // namespace

LIBSGEMM_DMMA_ROW(sm90_dmma_64x128x32_multistage)

Kernel sm90_dmma_64x128x32_split_k() { return dmma_split_kernel<Row>("sm90_dmma_64x128x32_split_k"); }

}  // namespace libsgemm::cuda

// As sm80_ffma_128x128x16_multistage, for a few hundred rows and columns. Four warps of 8 x 4 elements a thread, not
// two of 8 x 8: few tiles leave few warps to hide latency.
//
//   tile of C: 64 x 64            warp: 32 x 32 = 4 x 8 lanes      thread: 8 x 4
//   +--------+--------+           first row 4 r, column 4 c        2 groups of 4 rows, 16 apart
//   | warp 0 | warp 2 |           r = lane / 2 % 4                 4 columns
//   +--------+--------+           c = 2 (lane / 8) + lane % 2
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: 4 stages of up to 8704 (rows of 64 floats; 68 if contiguous along k).
//
// Measured (H100): 65536 x 64 x 64 21 to 27 TFLOP/s, cuBLAS 22 to 27.
#include "gpu/kernels.h"
#include "multistage.cuh"
#include "tile_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<64, 64, 16, 8, 4, 4, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 4;
  static constexpr int blocks = 4;
  static constexpr double peak_fraction = 0.71;
  static constexpr Fitted fitted = Fitted::sm80_ffma_64x64x16_multistage;
};

}  // namespace

LIBSGEMM_MULTISTAGE_ROW(sm80_ffma_64x64x16_multistage, chain_kernel)

}  // namespace libsgemm::cuda

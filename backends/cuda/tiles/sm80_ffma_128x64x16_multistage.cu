// As sm80_ffma_128x128x16_multistage, where its tiles are too few or waste too much of a narrow C.
//
//   tile of C: 128 x 64           warp: 64 x 32 = 8 x 4 lanes      thread: 8 x 8
//   +--------+--------+           first row 4 r, column 4 c        2 groups of 4 rows, 32 apart
//   | warp 0 | warp 2 |           r = 2 (lane / 8) + lane % 2      2 groups of 4 columns, 16 apart
//   +--------+--------+           c = lane / 2 % 4
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: 3 stages of up to 12800 (rows of 128 and 64 floats; 4 more if contiguous along k).
//
// Measured (H100): 1024 x 1024 x 1024 35 to 42 TFLOP/s, cuBLAS 34 to 39.
#include "gpu/kernels.h"
#include "multistage.cuh"
#include "tile_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<128, 64, 16, 8, 8, 8, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 3;
  static constexpr double peak_fraction = 0.74;
  static constexpr Fitted fitted = Fitted::sm80_ffma_128x64x16_multistage;
};

}  // namespace

LIBSGEMM_MULTISTAGE_ROW(sm80_ffma_128x64x16_multistage, chain_kernel)

}  // namespace libsgemm::cuda

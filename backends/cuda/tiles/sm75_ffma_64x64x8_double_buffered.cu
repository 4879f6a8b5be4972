// As sm75_ffma_128x128x8_double_buffered, with smaller tiles, for a few hundred rows and columns. Warps and threads as
// in sm80_ffma_64x64x16_multistage.
//
// Shared memory, bytes: 2 buffers of up to 4352 (rows of 64 floats; 68 if contiguous along k).
//
// Measured (H100): 65536 x 64 x 64 23 to 25 TFLOP/s, cuBLAS 22 to 27.
#include "double_buffered.cuh"
#include "gpu/kernels.h"
#include "tile_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<64, 64, 8, 8, 4, 4, 2> {
  static constexpr int min_arch = 75;
  static constexpr int blocks = 4;
  static constexpr double peak_fraction = 0.60;
  static constexpr Fitted fitted = Fitted::sm75_ffma_64x64x8_double_buffered;
};

}  // namespace

LIBSGEMM_DOUBLE_BUFFERED_ROW(sm75_ffma_64x64x8_double_buffered, chain_kernel, Config::blocks)

}  // namespace libsgemm::cuda

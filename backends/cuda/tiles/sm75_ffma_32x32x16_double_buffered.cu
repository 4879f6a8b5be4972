// As sm75_ffma_128x128x8_double_buffered, for small matrices, alone or in batches.
//
//   tile of C: 32 x 32      warp: 32 x 16 = 8 x 4 lanes      thread: 4 x 4
//   +--------+--------+     first row 4 r, column 4 c
//   | warp 0 | warp 1 |     r = 2 (lane / 8) + lane % 2
//   +--------+--------+     c = lane / 2 % 4
//
// Shared memory, bytes: 2 buffers of up to 4608 (rows of 32 floats; 36 if contiguous along k).
//
// Speed: in figures/sm90.h (H200).
#include "double_buffered.cuh"
#include "gpu/kernels.h"
#include "tile_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<32, 32, 16, 4, 4, 8, 1> {
  static constexpr int min_arch = 75;
  static constexpr int blocks = 8;
  static constexpr double peak_fraction = 0.25;
  static constexpr Fitted fitted = Fitted::sm75_ffma_32x32x16_double_buffered;
};

}  // namespace

LIBSGEMM_DOUBLE_BUFFERED_ROW(sm75_ffma_32x32x16_double_buffered, chain_kernel, Config::blocks)

}  // namespace libsgemm::cuda

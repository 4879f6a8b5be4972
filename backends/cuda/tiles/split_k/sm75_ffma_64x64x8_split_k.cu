// sm80_ffma_64x64x16_split_k with the loop and tiles of sm75_ffma_64x64x8_double_buffered, for any GPU.
#include "cuda/tiles/double_buffered.cuh"
#include "cuda/tiles/tile_row.h"
#include "gpu/kernels.h"
#include "gpu/tiles/split_k_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<64, 64, 8, 8, 4, 4, 2> {
  static constexpr int min_arch = 75;
  static constexpr int blocks = 4;
  static constexpr double peak_fraction = 0.5;
  static constexpr Fitted fitted = Fitted::sm75_ffma_64x64x8_split_k;
};

}  // namespace

LIBSGEMM_DOUBLE_BUFFERED_ROW(sm75_ffma_64x64x8_split_k, split_k_kernel, Config::blocks)

}  // namespace libsgemm::cuda

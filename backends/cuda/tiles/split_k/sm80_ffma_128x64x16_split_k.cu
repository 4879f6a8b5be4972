// sm80_ffma_64x64x16_split_k with the tiles of sm80_ffma_128x64x16_multistage.
#include "cuda/tiles/multistage.cuh"
#include "cuda/tiles/tile_row.h"
#include "gpu/kernels.h"
#include "gpu/tiles/split_k_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<128, 64, 16, 8, 8, 8, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 3;
  static constexpr double peak_fraction = 0.74;
  static constexpr Fitted fitted = Fitted::sm80_ffma_128x64x16_split_k;
};

}  // namespace

LIBSGEMM_MULTISTAGE_ROW(sm80_ffma_128x64x16_split_k, split_k_kernel)

}  // namespace libsgemm::cuda

// sm80_ffma_128x128x16_multistage for a few hundred rows and columns, with four warps of 32 x 32 (8 x 4 elements a
// thread): C has few tiles, and threads with few elements leave more warps to hide latency.
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

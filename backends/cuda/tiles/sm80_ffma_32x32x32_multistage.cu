// sm80_ffma_64x64x16_multistage with warps of 16 x 16, for small matrices. The time of one tile matters most, so
// k-tiles of 32 halve the barriers.
#include "gpu/kernels.h"
#include "multistage.cuh"
#include "tile_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<32, 32, 32, 4, 2, 4, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 6;
  static constexpr double peak_fraction = 0.48;
  static constexpr Fitted fitted = Fitted::sm80_ffma_32x32x32_multistage;
};

}  // namespace

LIBSGEMM_MULTISTAGE_CODE(sm80_ffma_32x32x32_multistage)

KernelList sm80_ffma_32x32x32_multistage() { return chain_kernel<DeviceCode>("sm80_ffma_32x32x32_multistage"); }

}  // namespace libsgemm::cuda

// The convolutions of sm75_ffma_128x64x16_conv.cu with smaller tiles, for medium and small problems. _col2im computes
// data gradients (gpu/conv/col2im_problem.h).
#include "ffma_conv.cuh"
#include "ffma_conv_kernel.h"
#include "gpu/conv/col2im_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<64, 64, 16, 8, 4, 4, 2> {
  static constexpr int min_arch = 75;
  static constexpr int stages = 4;
  static constexpr int blocks = 4;
  static constexpr double peak_fraction = 0.71;
  static constexpr double by_floats = 6;
  static constexpr Fitted fitted = Fitted::sm80_ffma_64x64x16_multistage;
};

}  // namespace

LIBSGEMM_FFMA_CONV_CODE(sm75_ffma_64x64x16_conv)

KernelList sm75_ffma_64x64x16_conv() {
  return {conv_kernel<ConvCode>("sm75_ffma_64x64x16_conv"),
          conv_split_kernel<ConvCode>("sm75_ffma_64x64x16_conv_split_k"),
          col2im_kernel<ConvCode>("sm75_ffma_64x64x16_col2im")};
}

}  // namespace libsgemm::cuda

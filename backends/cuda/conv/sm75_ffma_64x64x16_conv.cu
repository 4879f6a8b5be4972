// Convolutions, and both gradients, by FP32 multiply-adds, on any architecture. For those that FP64 tensor cores do not
// compute faster.
#include "ffma_conv.cuh"
#include "ffma_conv_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<64, 64, 16, 8, 4, 4, 2> {
  static constexpr int min_arch = 75;
  static constexpr int stages = 4;
  static constexpr int blocks = 4;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.71;
  static constexpr double by_floats = 6;  // steps of k that it costs to store C by single floats
  static constexpr Fitted fitted = Fitted::sm80_ffma_64x64x16_multistage;
};

}  // namespace

LIBSGEMM_FFMA_CONV_ROW(sm75_ffma_64x64x16_conv)

Kernel sm75_ffma_64x64x16_conv_split_k() { return conv_split_kernel<ConvRow>("sm75_ffma_64x64x16_conv_split_k"); }

}  // namespace libsgemm::cuda

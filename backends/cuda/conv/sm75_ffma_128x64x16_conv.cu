// The convolutions of sm90_dmma_64x64x32_conv.cu by FP32 FMAs, on any architecture: for large problems on GPUs without
// full-rate FP64 tensor cores. The only variant is _split_k, whose partial sums take 4 bytes of workspace instead of 8.
// Main loop: tiles/multistage.cuh. K-major operands are copied element by element.
#include "ffma_conv.cuh"
#include "ffma_conv_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<128, 64, 16, 8, 8, 8, 2> {
  static constexpr int min_arch = 75;
  static constexpr int stages = 3;
  static constexpr int blocks = 3;
  static constexpr double peak_fraction = 0.74;
  static constexpr double by_floats = 6;  // k elements that take as long as storing C by single floats
  static constexpr Fitted fitted = Fitted::sm80_ffma_128x64x16_multistage;
};

}  // namespace

LIBSGEMM_FFMA_CONV_CODE(sm75_ffma_128x64x16_conv)

KernelList sm75_ffma_128x64x16_conv() {
  return {conv_kernel<ConvCode>("sm75_ffma_128x64x16_conv"),
          conv_split_kernel<ConvCode>("sm75_ffma_128x64x16_conv_split_k")};
}

}  // namespace libsgemm::cuda

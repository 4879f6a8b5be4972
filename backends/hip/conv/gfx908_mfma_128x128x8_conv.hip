// Convolutions on AMD GPUs with FP32 matrix cores (gfx908, 90a, 942, 950), otherwise like gfx_fma_128x128x8_conv.hip.
// Main loop: matrix.h; gathered operands: gather_parts.h; tiles: gfx908_mfma_128x128x16_ping_pong, with k-tiles half as
// deep, so that two blocks and their places share the 64 KiB of a compute unit.
//
// gfx908_mfma_128x128x8_col2im: data gradients, like gfx_fma_64x64x8_col2im.
#include "gathered_kernel.h"
#include "gpu/conv/col2im_kernel.h"
#include "hip/tensor/matrix_kernel.h"
#include "matrix_gathered.h"

namespace libsgemm::hip {
namespace {

struct Config : MatrixShape<MfmaFloats, 128, 128, 8, 64, 64> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx908_mfma_128x128x16_ping_pong;
};

struct ProductCode : MatrixCode<Config> {
  static bool runs_on(int index) { return has_mfma(index); }
};

}  // namespace

LIBSGEMM_HIP_CONV_CODE(gfx908_mfma_128x128x8_conv, matrix_conv)

KernelList gfx908_mfma_128x128x8_conv() {
  return {conv_kernel<ConvCode>("gfx908_mfma_128x128x8_conv"),
          conv_split_kernel<ConvCode>("gfx908_mfma_128x128x8_conv_split_k"),
          col2im_kernel<ConvCode>("gfx908_mfma_128x128x8_col2im")};
}

}  // namespace libsgemm::hip

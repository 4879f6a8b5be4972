// The convolutions of gfx_fma_128x128x8_conv.hip with the tiles of gfx_fma_64x64x8_ping_pong, for small products: few
// pixels, few filters, or many groups.
//
// gfx_fma_64x64x8_col2im: data gradients by the same kernel (gpu/conv/col2im_problem.h).
#include "gathered_kernel.h"
#include "gpu/conv/col2im_kernel.h"

namespace libsgemm::hip {
namespace {

struct Config : TileShape<64, 64, 8, 8, 4, 4, 2> {
  static constexpr int blocks = 4;
  static constexpr Fitted fitted = Fitted::gfx_fma_64x64x8_ping_pong;
};

using ProductCode = ValuCode<Config>;

}  // namespace

LIBSGEMM_HIP_CONV_CODE(gfx_fma_64x64x8_conv, ping_pong_conv)

KernelList gfx_fma_64x64x8_conv() {
  return {conv_kernel<ConvCode>("gfx_fma_64x64x8_conv"), conv_split_kernel<ConvCode>("gfx_fma_64x64x8_conv_split_k"),
          col2im_kernel<ConvCode>("gfx_fma_64x64x8_col2im")};
}

}  // namespace libsgemm::hip

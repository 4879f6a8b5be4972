// Convolutions, and both gradients, on any AMD GPU: 64 x 64 tiles of the product, for small ones, few filters and
// groups.
//
// gfx_fma_64x64x8_conv_split_k: the same kernel on slices of the sum, which conv_split_k_sum() adds in their order.
//
// gfx_fma_64x64x8_col2im: data gradients by the same kernel, as one product of all pixels of dy with
// all elements of the filters, and a sum of its columns (gpu/col2im_problem.h).
//
// The loop is described in valu.h, the gathering of operands in gather_stream.h, which index is which in
// gpu/conv_problem.h; the picture is that of gfx_fma_64x64x8_ping_pong.
//
// Shared memory, bytes: the map of that row at 0; behind it places as of gfx_fma_128x128x8_conv, 64 of an operand that
// lies along k; at least 1024.
//
// Requires: what gfx_fma_128x128x8_conv and its split_k do.
//
// Not yet run on AMD hardware.
#include "gathered_row.h"
#include "gpu/col2im_row.h"

namespace libsgemm::hip {
namespace {

struct Config : TileShape<64, 64, 8, 8, 4, 4, 2> {
  static constexpr int blocks = 4;  // resident on a compute unit
  static constexpr Fitted fitted = Fitted::gfx_fma_64x64x8_ping_pong;
};

using ProductRow = ValuRow<Config>;

}  // namespace

LIBSGEMM_HIP_CONV_ROW(gfx_fma_64x64x8_conv, ping_pong_conv)

Kernel gfx_fma_64x64x8_col2im() { return col2im_kernel<ConvRow>("gfx_fma_64x64x8_col2im"); }

}  // namespace libsgemm::hip

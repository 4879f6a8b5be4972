// Convolutions, and both gradients, on any AMD GPU: 64 x 64 tiles of the product, for small products, and for few
// filters and groups.
//
// gfx_fma_64x64x8_conv_split_k: the same kernel on slices of the sum, which conv_split_k_sum() adds in order.
//
// gfx_fma_64x64x8_col2im: data gradients. The same kernel computes one product of all pixels of dy and all elements of
// the filters, whose columns are then summed (gpu/conv/col2im_problem.h).
//
// valu.h describes the loop, gather_stream.h how operands are gathered, gpu/conv/conv_problem.h the indices. The
// picture is that of gfx_fma_64x64x8_ping_pong.
//
// Shared memory, bytes: the map of that kernel at 0; after it places as in gfx_fma_128x128x8_conv, with 64 for an
// operand that is contiguous along k; at least 1024.
//
// Requires: the same as gfx_fma_128x128x8_conv and its split_k.
//
// Not yet run on AMD hardware.
#include "gathered_row.h"
#include "gpu/conv/col2im_row.h"

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

// Convolutions, and both gradients, on any AMD GPU: 128 x 128 tiles of the product, for large products. _split_k:
// slices of the sum, which conv_split_k_sum() adds in order.
//
// Main loop and source: valu.h; gathered operands: gather_stream.h; indices: gpu/conv/conv_problem.h; tiles:
// gfx_fma_128x128x8_ping_pong; in LDS the gathered elements' places follow them.
//
// Requires: FP32 tensors of any memory strides and alignment; all directions, strides, paddings, dilations and groups,
// with fewer than 2^29 rows, columns and terms of a group. split_k: the forward convolution, the weight gradient, or a
// data gradient without strides; more than one slice that is worth its sum; a workspace of 4 * slices * (m rounded
// up to a multiple of 4) * n bytes per group, at most 32 MiB.
#include "gathered_kernel.h"

namespace libsgemm::hip {
namespace {

struct Config : TileShape<128, 128, 8, 8, 8, 8, 2> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx_fma_128x128x8_ping_pong;
};

using ProductCode = ValuCode<Config>;

}  // namespace

LIBSGEMM_HIP_CONV_CODE(gfx_fma_128x128x8_conv, ping_pong_conv)

KernelList gfx_fma_128x128x8_conv() {
  return {conv_kernel<ConvCode>("gfx_fma_128x128x8_conv"),
          conv_split_kernel<ConvCode>("gfx_fma_128x128x8_conv_split_k")};
}

}  // namespace libsgemm::hip

// Convolutions, and both gradients, on AMD GPUs with FP32 matrix cores (gfx908, 90a, 942, 950).
//
// gfx908_mfma_128x128x8_conv_split_k: the same kernel on slices of the sum, which conv_split_k_sum() adds in order.
//
// gfx908_mfma_128x128x8_col2im: data gradients. The same kernel computes one product of all pixels of dy and all
// elements of the filters, whose columns are then summed (gpu/conv/col2im_problem.h).
//
// matrix.h describes the loop, gather_parts.h how operands are gathered, gpu/conv/conv_problem.h the indices. The
// picture is that of gfx908_mfma_128x128x16_ping_pong. A k-tile is half as deep as there, so that two blocks and their
// places share the 64 KiB of a compute unit.
//
// Shared memory, bytes: pair p of 2 at 8192 p: tileA at 0 (8 rows of 128 floats), tileB at 4096 (the same), not padded;
// at 16384 places as in gfx_fma_128x128x8_conv, but three slots of places of k.
//
// Requires: one of these GPUs, and the requirements of gfx_fma_128x128x8_conv and its split_k.
//
// Not yet run on AMD hardware.
#include "gathered_row.h"
#include "gpu/conv/col2im_row.h"
#include "hip/tensor/matrix_row.h"
#include "matrix_gathered.h"

namespace libsgemm::hip {
namespace {

struct Config : MatrixShape<MfmaFloats, 128, 128, 8, 64, 64> {
  static constexpr int blocks = 2;
  static constexpr Fitted fitted = Fitted::gfx908_mfma_128x128x16_ping_pong;
};

struct ProductRow : MatrixRow<Config> {
  static bool runs_on(int index) { return has_mfma(index); }
};

}  // namespace

LIBSGEMM_HIP_CONV_ROW(gfx908_mfma_128x128x8_conv, matrix_conv)

Kernel gfx908_mfma_128x128x8_col2im() { return col2im_kernel<ConvRow>("gfx908_mfma_128x128x8_col2im"); }

}  // namespace libsgemm::hip

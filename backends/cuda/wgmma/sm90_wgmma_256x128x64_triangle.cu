// SYRK of 16-bit A on sm_90 by wgmma, in one launch: C = alpha op(A) op(A)^T + beta C, where C is a triangle. The main
// loop is that of sm90_wgmma_256x128x64.cu; figures: docs/kernels/wgmma.md.
//
// sm90_wgmma_192x128x64_triangle: pairs of tiles 192 wide, in lines (TriangleLines). sm90_wgmma_128x128x64_triangle:
// tiles of 128 x 128. sm90_wgmma_256x128x64_triangle: pairs of blocks for squares of 256 off the diagonal, single
// blocks for those on it:
//
//   h . . . . .      lower triangle of 768, in tiles of 128 x 128
//   h q . . . .      p  square of a pair: each block has 128 columns (x), 256 rows (y)
//   p p h . . .      h  half of a square on the diagonal: 128 columns, 256 rows
//   p p h q . .      q  quarter: 128 x 128
//   p p p p h .
//   p p p p h q      upper triangle: the second column is the half
//
// On the diagonal of a lower triangle the second warpgroup needs only 192 rows of a half, and 64 of a quarter; in an
// upper one, the first warpgroup. x and y of a half or quarter are the same matrix, so only y is copied.
// wgmma_triangle_plan() divides the blocks among the kinds so that all end at the same time.
//
// Requires: SYRK of FP16 or bfloat16, single or in strided batches, whose columns and products start at multiples of 16
// bytes; code for sm_90a; for tiles 256 wide an order above 256, for 192 one of at most 32768.
#include "gpu/kernels.h"
#include "wgmma_triangle.cuh"
#include "wgmma_triangle_kernel.h"

namespace libsgemm::cuda {

template <Number kNumber, bool kAlongK>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_256x128x64_triangle(const __grid_constant__ WgmmaTriangle triangle) {
  wgmma_triangle<WgmmaAnyTriangle<kNumber, WgmmaLines<kAlongK>>>(triangle, PlainFinish());
}

namespace {
struct Kernels {
  template <Number kNumber, bool kAlongK>
  static void (*kernel())(WgmmaTriangle) {
    return &sm90_wgmma_256x128x64_triangle<kNumber, kAlongK>;
  }
};
}  // namespace

KernelList sm90_wgmma_256x128x64_triangle() {
  return {wgmma_triangle_kernel<Kernels, 256>("sm90_wgmma_256x128x64_triangle"),
          wgmma_triangle_kernel<Kernels, 192>("sm90_wgmma_192x128x64_triangle"),
          wgmma_triangle_kernel<Kernels, 128>("sm90_wgmma_128x128x64_triangle")};
}

}  // namespace libsgemm::cuda

// SYRK of 16-bit A on sm_90 by wgmma, in one launch: C = alpha op(A) op(A)^T + beta C, where C is a triangle. Main loop
// and sources: wgmma_engine.cuh; the kernel is that of sm90_wgmma_256x128x64.cu.
//
// sm90_wgmma_192x128x64_triangle: pairs of tiles 192 wide, in lines (TriangleLines).
// sm90_wgmma_128x128x64_triangle: tiles of 128 x 128.
//
// Pairs of blocks compute the squares of 256 off the diagonal. Single blocks compute those on it, without the other
// triangle's part:
//
//   h . . . . .      lower triangle of 768, in tiles of 128 x 128
//   h q . . . .      p  square of a pair of blocks: each has 128 columns (x) of it, 256 rows (y)
//   p p h . . .      h  half of a square on the diagonal: 128 columns, 256 rows
//   p p h q . .      q  quarter of it: 128 x 128
//   p p p p h .
//   p p p p h q      in the upper triangle the second column is the half, the first one has the quarter
//
// The second warpgroup of a half needs 192 rows, that of a quarter 64; in the upper triangle, the first warpgroup. Both
// operands of a half or quarter are one matrix: only y is copied, and x is some of its rows. wgmma_triangle_way()
// predicts how many blocks should compute each kind so that all end at once.
//
// A warp stores boxes of 16 x 32: by TMA inside of the triangle, by itself where the diagonal crosses the box.
//
// Shared memory: as sm90_wgmma_256x128x64.cu; stages of halves and quarters have only y, 32768 or 16384 bytes.
//
// Requires: SYRK of FP16 or bfloat16, single or in strided batches, whose columns and products start at multiples of 16
// bytes; code for sm_90a. W = 256 requires an order above 256, W = 192 one of at most 32768.
//
// Measured (H100, limited by power): FP16, n = k = 4096, N: 108 us; all of C takes 187 to 198. More:
// docs/kernels/wgmma.md.
#include "gpu/kernels.h"
#include "wgmma_triangle.cuh"
#include "wgmma_triangle_row.h"

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

LIBSGEMM_WGMMA_TRIANGLE_ROW(sm90_wgmma_256x128x64_triangle, 256)
LIBSGEMM_WGMMA_TRIANGLE_ROW(sm90_wgmma_192x128x64_triangle, 192)
LIBSGEMM_WGMMA_TRIANGLE_ROW(sm90_wgmma_128x128x64_triangle, 128)

}  // namespace libsgemm::cuda

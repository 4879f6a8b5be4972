// C = alpha op(A) op(A)^T + beta C, where C is a triangle, of 16-bit A on sm_90 by warpgroup instructions (SYRK of
// 16-bit inputs), all in one launch.
//
// sm90_wgmma_192x128x64_triangle: pairs of tiles 192 wide, in lines (TriangleLines).
// sm90_wgmma_128x128x64_triangle: tiles of 128 x 128.
//
// The engine is that of sm90_wgmma_256x128x64.cu; wgmma_engine.cuh describes tiles, stages and stores. Here pairs of
// blocks compute the squares of 256 off the diagonal. Single blocks compute those on it, without the other triangle's
// part:
//
//   h . . . . .      lower triangle of 768, in tiles of 128 x 128
//   h q . . . .      p  square of a pair of blocks: each has 128 columns (x) of it, 256 rows (y)
//   p p h . . .      h  half of a square on the diagonal: 128 columns, 256 rows
//   p p h q . .      q  quarter of it: 128 x 128
//   p p p p h .
//   p p p p h q      in the upper triangle the second column is the half, the first one has the quarter
//
// The second warpgroup of a half needs 192 rows, that of a quarter 64. In the upper triangle it is the first warpgroup.
//
// Both operands of a half or quarter are one matrix: only y is copied, and x is some of its rows. wgmma_triangle_way()
// predicts how many blocks should compute each of the three kinds so that all end at once: at 4096, 60 pairs have 2
// squares each, 8 blocks 2 halves, 4 blocks 4 quarters.
//
// A warp stores boxes of 16 x 32: through TMA if the box is inside of the triangle, itself if the diagonal crosses it.
//
// Sources: as the engine's.
//
// Shared memory: as for sm90_wgmma_256x128x64.cu; stages of halves and quarters have only y, 32768 or 16384 bytes.
//
// Requires: SYRK of FP16 or bfloat16, single or in strided batches, whose columns and products start at multiples of 16
// bytes; code for sm_90a. W = 256 requires an order above 256, W = 192 one of at most 32768.
//
// Parameters of LIBSGEMM_WGMMA_TRIANGLE_ROW: W.
//
// Measured (H100 SXM, 1410 to 1980 MHz, limited by power; FP16, C of n x n, k; us, N and T): 4096, 4096 108 and 103
// (our whole product 187 to 198; 192 wide 119 and 112, 128 wide 125 and 124), 8192, 8192 743 and 754 (1459 to 1573).
// The 120 squares of 4096 that are off the diagonal take 94 alone. Earlier versions: with all 136 squares computed by
// pairs, 66 at a time, 4096 took 147; with three tiles of 128 x 128 for each square on the diagonal, both operands
// copied, 135 and 120. With W = 192, 2048, 4096 took 39.7 while the warps stored all of a tile on the diagonal, and
// 36.7 since.
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

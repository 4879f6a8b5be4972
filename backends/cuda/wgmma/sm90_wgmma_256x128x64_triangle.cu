// C = alpha op(A) op(A)^T + beta C, of C a triangle, of 16-bit A on sm_90 by warpgroup instructions (SYRK of 16-bit
// inputs), all in one launch.
//
// sm90_wgmma_192x128x64_triangle: by pairs of tiles 192 wide, in lines (TriangleLines).
// sm90_wgmma_128x128x64_triangle: by tiles of 128 x 128.
//
// The engine is that of sm90_wgmma_256x128x64.cu (wgmma_engine.cuh), where also tiles, stages and storing are
// described. Here pairs of blocks compute the squares of 256 beside the diagonal, and blocks alone those on it, without
// what lies on its other side:
//
//   h . . . . .      lower triangle of 768, in tiles of 128 x 128
//   h q . . . .      p  square of a pair of blocks: each has 128 columns (x) of it, 256 rows (y)
//   p p h . . .      h  half of a square on the diagonal: 128 columns, 256 rows
//   p p h q . .      q  quarter of it: 128 x 128
//   p p p p h .
//   p p p p h q      of the upper triangle the second column is the half, the first one has the quarter
//
// The second warpgroup of a half needs 192 rows, that of a quarter 64 (of the upper triangle the first one's).
//
// There both operands are one matrix: of a half or a quarter y is copied alone, and x are some of its rows. How many
// blocks have which of the three, so that all end at once, is predicted (wgmma_triangle_way()): at 4096 60 pairs have
// 2 squares each, 8 blocks 2 halves, 4 blocks 4 quarters.
//
// What a warp stores it decides by boxes of 16 x 32: TMA stores those beyond the diagonal, the warp itself those on it.
//
// Sources: as the engine's.
//
// Shared memory: as of sm90_wgmma_256x128x64.cu, with stages of y alone, 32768 or 16384 bytes, of halves and quarters.
//
// Requires: SYRK of FP16 or bfloat16, single or in strided batches, whose columns and products start at multiples of 16
// bytes; code for sm_90a. 256: an order above 256; 192: up to 32768.
//
// Parameters of LIBSGEMM_WGMMA_TRIANGLE_ROW: W.
//
// Measured (H100 SXM, 1410 to 1980 MHz, limited by power; FP16, C of n x n, k; us, N and T): 4096, 4096 108 and 103
// (our whole product 187 to 198; 192 wide 119 and 112, 128 wide 125 and 124), 8192, 8192 743 and 754 (1459 to 1573);
// the 120 squares of 4096 alone take 94. Before, with all squares by pairs, 136 on 66, 4096 took 147; with three tiles
// of 128 x 128 for each square on the diagonal, both operands copied, 135 and 120. Where all of a tile on the diagonal
// was stored by the warps, 2048, 4096 took 39.7, 192 wide, then 36.7.
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

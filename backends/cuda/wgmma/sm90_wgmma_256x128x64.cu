// C = alpha op(A) op(B) + beta C of 16-bit matrices on sm_90 by warpgroup instructions: tiles of any width that is a
// multiple of 16, each a row of the table, by one kernel.
//
// sm90_wgmma_*_split_k: the same with k in slices, whose sums meet in the workspace; but 256 wide, which never wins.
//
// Everything is in wgmma_engine.cuh: who copies, multiplies and stores, and how tiles follow one another. In which way
// a call is computed, and so its row, is predicted in wgmma_way.cpp.
//
//   tile of C: W x 128 or W x 64, or the other way round
//
//   y, W            (m, or n where C is taken transposed)
//   +-------------------------+
//   | warpgroup 0             |  64 of x       a warp: 16 rows of x; a thread W / 2 sums, pairs along y
//   +-------------------------+
//   | warpgroup 1             |  64            W x 64: the same 64 rows, of every other stage
//   +-------------------------+
//   warpgroup 2: one lane copies               Blocks alone or, of 128 rows, in clusters of 2 or 4 (WgmmaCluster).
//
// Sources: as the engine's.
//
// Shared memory, bytes: as many stages as fit into 196608, at most 12: of 128 W and 16384 (8192 of 64 rows), W rounded
// up to 64 if y lies along its outer side; x first. Behind these 32768 of boxes on their way to C, of which, of 64
// rows, the second half is for sums on their way to the first warpgroup; then 208 of barriers. 229584 in all.
//
// Requires: gemm of FP16 or bfloat16 operands, single or in strided batches, whose columns and products all start at
// multiples of 16 bytes; code for sm_90a. Any size and transposition.
//
// Parameters of LIBSGEMM_WGMMA_ROW: rows of x, W.
//
// Why so many: the fewest tiles that fill whole waves win. Of 325 random products (H200, 1980 MHz, FP16, 2 to 900 us,
// cuBLAS 13.1 in the same run) the best widths reach 1.013 of cuBLAS's speed as geometric mean and 0.80 at the 5th
// percentile; only 16, 32, 64, 128, 160, 192 and 256 0.97 and 0.78. With 64 rows besides 1.029 and 0.83: of small tiles
// a block waits for its operands, which arrive at 64 bytes a clock, 20 KiB a stage of 32 x 128, 12 of 32 x 64.
// Without pairs 0.02 less. Clusters of four: wgmma_engine.cuh.
//
// Measured (H100 SXM, 1860 to 1980 MHz, limited by power from 2048 on; TFLOP/s, cuBLAS 13.1 in the same run in
// brackets): FP16 NN 1024 303 (258), 2048 617 (619), 4096 721 (724), 8192 724 (709); TN 4096 705 (703); bfloat16 NN
// 8192 783 (765). With beta 1 4096 631 (735), 2048 468 (563). Without pairs of blocks 4096 682, 8192 668. With sums
// stored by the threads, not by TMA, 4096 697 (721); where a grid starts only after the one before has ended, 2048 589
// (603). Arrivals at the other block as releases (a fence of all memory each) halved the speed. Slices of k in a
// cluster of 2 to 8 blocks that met in shared memory: 214 at 512 x 512 x 16384 (308), 200 at 1024 (186); not kept.
#include "gpu/kernels.h"
#include "wgmma_width_row.h"

namespace libsgemm::cuda {

template <Number kNumber, bool XAlongK, bool YAlongK, int kCluster, int kRows>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_256x128x64(const __grid_constant__ WgmmaMaps maps, const __grid_constant__ WgmmaProblem p) {
  wgmma_product<WgmmaAnyWidth16<kNumber, XAlongK, YAlongK, kCluster, kRows>>(maps, p, PlainFinish());
}

namespace {
struct Kernels {
  template <Number kNumber, bool XAlongK, bool YAlongK, int kCluster, int kRows>
  static WgmmaKernel kernel() {
    return &sm90_wgmma_256x128x64<kNumber, XAlongK, YAlongK, kCluster, kRows>;
  }
};
}  // namespace

LIBSGEMM_WGMMA_ROW(sm90_wgmma_256x128x64, 128, 256)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_240x128x64, 128, 240)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_224x128x64, 128, 224)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_208x128x64, 128, 208)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_192x128x64, 128, 192)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_176x128x64, 128, 176)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_160x128x64, 128, 160)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_144x128x64, 128, 144)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_128x128x64, 128, 128)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_112x128x64, 128, 112)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_96x128x64, 128, 96)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_80x128x64, 128, 80)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_64x128x64, 128, 64)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_48x128x64, 128, 48)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_32x128x64, 128, 32)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_16x128x64, 128, 16)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_64x64x64, 64, 64)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_48x64x64, 64, 48)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_32x64x64, 64, 32)
LIBSGEMM_WGMMA_ROW(sm90_wgmma_16x64x64, 64, 16)

LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_240x128x64_split_k, 128, 240)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_224x128x64_split_k, 128, 224)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_208x128x64_split_k, 128, 208)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_192x128x64_split_k, 128, 192)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_176x128x64_split_k, 128, 176)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_160x128x64_split_k, 128, 160)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_144x128x64_split_k, 128, 144)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_128x128x64_split_k, 128, 128)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_112x128x64_split_k, 128, 112)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_96x128x64_split_k, 128, 96)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_80x128x64_split_k, 128, 80)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_64x128x64_split_k, 128, 64)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_48x128x64_split_k, 128, 48)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_32x128x64_split_k, 128, 32)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_16x128x64_split_k, 128, 16)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_64x64x64_split_k, 64, 64)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_48x64x64_split_k, 64, 48)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_32x64x64_split_k, 64, 32)
LIBSGEMM_WGMMA_SPLIT_ROW(sm90_wgmma_16x64x64_split_k, 64, 16)

}  // namespace libsgemm::cuda

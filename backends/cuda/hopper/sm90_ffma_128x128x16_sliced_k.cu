// C = alpha op(A) op(B) + beta C on sm_90 for a C that is too small for tiles of 256 x 128: 128 x 128, and k in slices.
//
// Threads of 16 x 8 need the fewest loads for their products. But a tile has only four warps of such threads, which
// leave half of a multiprocessor's issue slots free. So a block has eight warps: each group of four multiplies every
// second k-tile. The blocks of a cluster divide k further. The sums are exchanged through shared memory, and each block
// of the cluster adds and stores its part of the tile, always in the same order. An operand along k is multiplied
// without a transposition, four k at a time. Only if both operands are along k, one is transposed in shared memory.
//
// Source: CUDA C++ Programming Guide, for TMA, clusters and register reallocation; CUTLASS, "sliced-K", for
// the groups; Gray, "maxas: SGEMM", for assigning registers by bank.
//
//   tile of C: 128 x 128, twice         warp: 64 x 64 = 4 x 8 lanes        thread: 16 x 8
//   +---------+---------+               first row 4 r, column 4 c          4 groups of 4 rows, 16 apart
//   | warp 0  | warp 2  |               r = lane / 2 % 4                   2 groups of 4 columns, 32 apart
//   +---------+---------+               c = 2 (lane / 8) + lane % 2
//   | warp 1  | warp 3  |               rows along k: first row r          rows 4 apart
//   +---------+---------+               swapped: rows are columns of C
//   warps 4 to 7 the same, other k-tiles; warp 8 copies; 8 to 11 transpose
//
// Shared memory, bytes: stage s of 6 of group g at 98304 g + 16384 s: rows at 0, columns at 8192, as 16 times 128
// floats, or, rows along k, two boxes of 128 times 8 floats; columns to be transposed, 3 stages of 128 times 20 floats,
// from 196608 on; then 30 barriers. In the epilogue: sums of the groups at 0 and 32768, the tile at 65536 in columns of
// 132, 136 or 144 floats.
//
// Requires: gemm of FP32; sm_90 (its own features, 90a); one product, m, n, k of at least 4; columns of A and B start
// at multiples of 16 bytes.
//
// Parameters (SlicedKShape): rows and columns of the tile, lanes of a warp along its rows, stages of each group.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0): 1024 x 1024 x 1024 NN, NT, TN, TT 47.6, 47.7, 51.6, 47.6 us (45 TFLOP/s;
// cuBLAS 13.1 about 61); 512 x 512 x 512 18 us; 2048 x 2048 x 1024 170 us.
#include "gpu/kernels.h"
#include "reassigned.h"
#include "sliced_k.cuh"
#include "sliced_k_row.h"

namespace libsgemm::cuda {

LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_128x128x16_sliced_k, SquareSlicedK, false, false, false)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_128x128x16_sliced_k_along_k, SquareSlicedK, false, true, false)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_128x128x16_sliced_k_along_k_swapped, SquareSlicedK, true, true, false)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_128x128x16_sliced_k_along_k_transposed, SquareSlicedK, false, true, true)

namespace {

libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
  static const SlicedKKernel kernel = [] {
    SlicedKKernel k = {};
    k.instances[0][0][0] =
        reassigned<SlicedKKernel::Function>("sm90_ffma_128x128x16_sliced_k", sm90_ffma_128x128x16_sliced_k);
    k.instances[0][1][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_128x128x16_sliced_k_along_k",
                                                               sm90_ffma_128x128x16_sliced_k_along_k);
    k.instances[1][1][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_128x128x16_sliced_k_along_k_swapped",
                                                               sm90_ffma_128x128x16_sliced_k_along_k_swapped);
    k.instances[0][1][1] = reassigned<SlicedKKernel::Function>("sm90_ffma_128x128x16_sliced_k_along_k_transposed",
                                                               sm90_ffma_128x128x16_sliced_k_along_k_transposed);
    return k;
  }();
  return launch_sliced_k(desc, sliced_k_sizes<SquareSlicedK>(), kernel, launch, error);
}

}  // namespace

Kernel sm90_ffma_128x128x16_sliced_k() { return sliced_k_row<SquareSlicedK>("sm90_ffma_128x128x16_sliced_k", launch); }

}  // namespace libsgemm::cuda

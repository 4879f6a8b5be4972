// C = alpha op(A) op(B) + beta C on sm_90 for a C with 33 to 64 columns or rows: 256 x 64, and k in slices.
//
// Differs from sm90_ffma_128x128x16_sliced_k, which describes the rest, in its tiles. The longer side of the tile is
// that of the threads' 16 rows; "swapped" these are columns of C. An operand along k is multiplied without a
// transposition if it has these rows; otherwise it is transposed in shared memory.
//
//   tile of C: 256 x 64, twice          warp: 64 x 64 = 4 x 8 lanes        thread: 16 x 8
//   +---------+                         first row 4 r, column 4 c          4 groups of 4 rows, 16 apart
//   | warp 0  |                         r = lane / 2 % 4                   2 groups of 4 columns, 32 apart
//   +---------+                         c = 2 (lane / 8) + lane % 2
//   | ...     |                         rows along k: first row r          rows 4 apart
//   +---------+
//   | warp 3  |                         warps 4 to 7 the same, other k-tiles; warp 8 copies; 8 to 11 transpose
//   +---------+
//
// Shared memory, bytes: stage s of 5 of group g at 102400 g + 20480 s: rows at 0, columns at 16384, as 16 times 64
// floats; rows as two times 16 times 128 floats, or, along k, two boxes of 256 times 8 floats; columns to be
// transposed, 3 stages of 64 times 20 floats, from 204800 on; then 26 barriers. In the epilogue: sums of the groups at
// 0 and 32768, the tile at 65536.
//
// Requires: gemm of FP32; sm_90 (its own features, 90a); one product, m, n, k of at least 4; columns of A and B start
// at multiples of 16 bytes.
//
// Parameters (SlicedKShape): rows and columns of the tile, lanes of a warp along its rows, stages of each group.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 7680 x 64 x 2560 NN, NT, TN, TT 37, 41, 37, 41; cuBLAS 13.1 37,
// 37, 36, 34. 30 tiles and clusters of 4 leave 12 of 132 multiprocessors idle.
#include "gpu/kernels.h"
#include "reassigned.h"
#include "sliced_k.cuh"
#include "sliced_k_row.h"

namespace libsgemm::cuda {

LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_256x64x16_sliced_k, ThinSlicedK, false, false, false)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_256x64x16_sliced_k_transposed, ThinSlicedK, false, false, true)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_256x64x16_sliced_k_along_k, ThinSlicedK, false, true, false)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_256x64x16_sliced_k_along_k_transposed, ThinSlicedK, false, true, true)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_256x64x16_sliced_k_swapped, ThinSlicedK, true, false, false)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_256x64x16_sliced_k_swapped_transposed, ThinSlicedK, true, false, true)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_256x64x16_sliced_k_along_k_swapped, ThinSlicedK, true, true, false)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_256x64x16_sliced_k_along_k_swapped_transposed, ThinSlicedK, true, true, true)

namespace {

libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
  static const SlicedKKernel kernel = [] {
    SlicedKKernel k = {};
    k.instances[0][0][0] =
        reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k", sm90_ffma_256x64x16_sliced_k);
    k.instances[0][0][1] = reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_transposed",
                                                               sm90_ffma_256x64x16_sliced_k_transposed);
    k.instances[0][1][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_along_k",
                                                               sm90_ffma_256x64x16_sliced_k_along_k);
    k.instances[0][1][1] = reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_along_k_transposed",
                                                               sm90_ffma_256x64x16_sliced_k_along_k_transposed);
    k.instances[1][0][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_swapped",
                                                               sm90_ffma_256x64x16_sliced_k_swapped);
    k.instances[1][0][1] = reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_swapped_transposed",
                                                               sm90_ffma_256x64x16_sliced_k_swapped_transposed);
    k.instances[1][1][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_along_k_swapped",
                                                               sm90_ffma_256x64x16_sliced_k_along_k_swapped);
    k.instances[1][1][1] =
        reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_along_k_swapped_transposed",
                                            sm90_ffma_256x64x16_sliced_k_along_k_swapped_transposed);
    return k;
  }();
  return launch_sliced_k(desc, sliced_k_sizes<ThinSlicedK>(), kernel, launch, error);
}

}  // namespace

Kernel sm90_ffma_256x64x16_sliced_k() { return sliced_k_row<ThinSlicedK>("sm90_ffma_256x64x16_sliced_k", launch); }

}  // namespace libsgemm::cuda

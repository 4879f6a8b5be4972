// C = alpha op(A) op(B) + beta C on sm_90 for a C with 17 to 32 columns or rows: 512 x 32, and k in slices.
//
// Differs from sm90_ffma_256x64x16_sliced_k, which describes the rest, in its tiles and warps.
//
//   tile of C: 512 x 32, twice          warp: 128 x 32 = 8 x 4 lanes       thread: 16 x 8
//   +---------+                         first row 4 r, column 4 c          4 groups of 4 rows, 32 apart
//   | warp 0  |                         r = 2 (lane / 8) + lane % 2        2 groups of 4 columns, 16 apart
//   +---------+                         c = lane / 2 % 4
//   | ...     |                         rows along k: first row r          rows 8 apart
//   +---------+
//   | warp 3  |                         warps 4 to 7 the same, other k-tiles; warp 8 copies; 8 to 11 transpose
//   +---------+
//
// Shared memory, bytes: stage s of 3 of group g at 104448 g + 34816 s: rows at 0, columns at 32768, as 16 times 32
// floats; rows as four times 16 times 128 floats, or, along k, four boxes of 256 times 8 floats; columns to be
// transposed, 3 stages of 32 times 20 floats, from 208896 on; then 18 barriers. In the epilogue: sums of the groups at
// 0 and 32768, the tile at 65536.
//
// Requires: gemm of FP32; sm_90 (its own features, 90a); one product, m, n, k of at least 4; columns of A and B start
// at multiples of 16 bytes.
//
// Parameters (SlicedKShape): rows and columns of the tile, lanes of a warp along its rows, stages of each group.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 32768 x 32 x 1024 NN, NT, TN, TT 36, 36, 31, 33; cuBLAS 13.1 27,
// 23, 28, 29. A is read at 70 to 76 % of the bandwidth of a copy.
#include "gpu/kernels.h"
#include "reassigned.h"
#include "sliced_k.cuh"
#include "sliced_k_row.h"

namespace libsgemm::cuda {

LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_512x32x16_sliced_k, ThinnerSlicedK, false, false, false)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_512x32x16_sliced_k_transposed, ThinnerSlicedK, false, false, true)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_512x32x16_sliced_k_along_k, ThinnerSlicedK, false, true, false)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_512x32x16_sliced_k_along_k_transposed, ThinnerSlicedK, false, true, true)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_512x32x16_sliced_k_swapped, ThinnerSlicedK, true, false, false)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_512x32x16_sliced_k_swapped_transposed, ThinnerSlicedK, true, false, true)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_512x32x16_sliced_k_along_k_swapped, ThinnerSlicedK, true, true, false)
LIBSGEMM_SLICED_K_KERNEL(sm90_ffma_512x32x16_sliced_k_along_k_swapped_transposed, ThinnerSlicedK, true, true, true)

namespace {

libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
  static const SlicedKKernel kernel = [] {
    SlicedKKernel k = {};
    k.instances[0][0][0] =
        reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k", sm90_ffma_512x32x16_sliced_k);
    k.instances[0][0][1] = reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_transposed",
                                                               sm90_ffma_512x32x16_sliced_k_transposed);
    k.instances[0][1][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_along_k",
                                                               sm90_ffma_512x32x16_sliced_k_along_k);
    k.instances[0][1][1] = reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_along_k_transposed",
                                                               sm90_ffma_512x32x16_sliced_k_along_k_transposed);
    k.instances[1][0][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_swapped",
                                                               sm90_ffma_512x32x16_sliced_k_swapped);
    k.instances[1][0][1] = reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_swapped_transposed",
                                                               sm90_ffma_512x32x16_sliced_k_swapped_transposed);
    k.instances[1][1][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_along_k_swapped",
                                                               sm90_ffma_512x32x16_sliced_k_along_k_swapped);
    k.instances[1][1][1] =
        reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_along_k_swapped_transposed",
                                            sm90_ffma_512x32x16_sliced_k_along_k_swapped_transposed);
    return k;
  }();
  return launch_sliced_k(desc, sliced_k_sizes<ThinnerSlicedK>(), kernel, launch, error);
}

}  // namespace

Kernel sm90_ffma_512x32x16_sliced_k() { return sliced_k_row<ThinnerSlicedK>("sm90_ffma_512x32x16_sliced_k", launch); }

}  // namespace libsgemm::cuda

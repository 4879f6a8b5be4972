// C = alpha op(A) op(B) + beta C on sm_90, where C has 33 to 64 columns or rows: 256 x 64, and k in slices.
//
// As sm90_ffma_128x128x16_halves, whose text tells the rest, with other tiles. The longer side of the tile is that of
// the threads' 16 rows; "swapped" these are columns of C. An operand along k is multiplied as it lies if it has these
// rows, and transposed on the way if not.
//
//   tile of C: 256 x 64, twice          warp: 64 x 64 = 4 x 8 lanes        thread: 16 x 8
//   +---------+                         first row 4 r, column 4 c          4 groups of 4 rows, 16 apart
//   | warp 0  |                         r = lane / 2 % 4                   2 groups of 4 columns, 32 apart
//   +---------+                         c = 2 (lane / 8) + lane % 2
//   | ...     |                         rows along k: first row r          rows 4 apart
//   +---------+
//   | warp 3  |                         warps 4 to 7 the same, other k-tiles; warp 8 copies; warps 8 to 11 turn
//   +---------+
//
// Shared memory, bytes: stage s of 5 of group g at 102400 g + 20480 s: rows at 0, columns at 16384, as 16 times 64
// floats; rows as two times 16 times 128 floats, or, along k, two boxes of 256 times 8 floats; columns to be turned,
// 3 stages of 64 times 20 floats, from 204800 on; then 26 barriers. Afterwards: sums of the groups at 0 and 32768, the
// tile at 65536.
//
// Requires: gemm of FP32; sm_90 (its own features, 90a); one product, m, n, k of at least 4; columns of A and B start
// at multiples of 16 bytes.
//
// Parameters (HalvesShape): rows and columns of the tile, lanes of a warp along its rows, stages of each group.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 7680 x 64 x 2560 NN, NT, TN, TT 37, 41, 37, 41; cuBLAS 13.1 37,
// 37, 36, 34. 30 tiles and clusters of 4 leave 12 of 132 multiprocessors idle.
#include "gpu/kernels.h"
#include "halves.cuh"
#include "halves_row.h"
#include "steered.h"

namespace libsgemm::cuda {

LIBSGEMM_HALVES_KERNEL(sm90_ffma_256x64x16_halves, ThinHalves, false, false, false)
LIBSGEMM_HALVES_KERNEL(sm90_ffma_256x64x16_halves_turned, ThinHalves, false, false, true)
LIBSGEMM_HALVES_KERNEL(sm90_ffma_256x64x16_halves_along_k, ThinHalves, false, true, false)
LIBSGEMM_HALVES_KERNEL(sm90_ffma_256x64x16_halves_along_k_turned, ThinHalves, false, true, true)
LIBSGEMM_HALVES_KERNEL(sm90_ffma_256x64x16_halves_swapped, ThinHalves, true, false, false)
LIBSGEMM_HALVES_KERNEL(sm90_ffma_256x64x16_halves_swapped_turned, ThinHalves, true, false, true)
LIBSGEMM_HALVES_KERNEL(sm90_ffma_256x64x16_halves_along_k_swapped, ThinHalves, true, true, false)
LIBSGEMM_HALVES_KERNEL(sm90_ffma_256x64x16_halves_along_k_swapped_turned, ThinHalves, true, true, true)

namespace {

libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
  static const HalvesKernel kernel = [] {
    HalvesKernel k = {};
    k.instances[0][0][0] = steered<HalvesKernel::Function>("sm90_ffma_256x64x16_halves", sm90_ffma_256x64x16_halves);
    k.instances[0][0][1] =
        steered<HalvesKernel::Function>("sm90_ffma_256x64x16_halves_turned", sm90_ffma_256x64x16_halves_turned);
    k.instances[0][1][0] =
        steered<HalvesKernel::Function>("sm90_ffma_256x64x16_halves_along_k", sm90_ffma_256x64x16_halves_along_k);
    k.instances[0][1][1] = steered<HalvesKernel::Function>("sm90_ffma_256x64x16_halves_along_k_turned",
                                                           sm90_ffma_256x64x16_halves_along_k_turned);
    k.instances[1][0][0] =
        steered<HalvesKernel::Function>("sm90_ffma_256x64x16_halves_swapped", sm90_ffma_256x64x16_halves_swapped);
    k.instances[1][0][1] = steered<HalvesKernel::Function>("sm90_ffma_256x64x16_halves_swapped_turned",
                                                           sm90_ffma_256x64x16_halves_swapped_turned);
    k.instances[1][1][0] = steered<HalvesKernel::Function>("sm90_ffma_256x64x16_halves_along_k_swapped",
                                                           sm90_ffma_256x64x16_halves_along_k_swapped);
    k.instances[1][1][1] = steered<HalvesKernel::Function>("sm90_ffma_256x64x16_halves_along_k_swapped_turned",
                                                           sm90_ffma_256x64x16_halves_along_k_swapped_turned);
    return k;
  }();
  return launch_halves(desc, halves_sizes<ThinHalves>(), kernel, launch, error);
}

}  // namespace

Kernel sm90_ffma_256x64x16_halves() { return halves_row<ThinHalves>("sm90_ffma_256x64x16_halves", launch); }

}  // namespace libsgemm::cuda

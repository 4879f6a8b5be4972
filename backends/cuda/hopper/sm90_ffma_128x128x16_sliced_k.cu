// C = alpha op(A) op(B) + beta C on sm_90 for a C that is too small for tiles of 256 x 128. Why, and figures:
// docs/kernels/ffma.md.
//
// Two groups of four warps multiply the same tile, each with every second k-tile. The blocks of a cluster divide k
// further; each adds and stores its part of the tile, in a fixed order.
//
// Source: CUDA C++ Programming Guide, for TMA and clusters; CUTLASS, "sliced-K", for the groups; Gray, "maxas: SGEMM",
// for assigning registers by bank.
//
//   tile of C: 128 x 128, twice         warp: 64 x 64; lanes and threads as in sm90_ffma_256x128x16_stream_k
//   +---------+---------+
//   | warp 0  | warp 2  |               warps 4 to 7: other k-tiles
//   +---------+---------+               warp 8 copies; 8 to 11 transpose, if both operands are K-major
//   | warp 1  | warp 3  |               swapped: rows are columns of C
//   +---------+---------+
//
// Requires: gemm of FP32; code for sm_90a; one product; m, n, k of at least 4; columns of A and B start at multiples of
// 16 bytes.
#include "gpu/kernels.h"
#include "reassigned.h"
#include "sliced_k.cuh"
#include "sliced_k_kernel.h"

namespace libsgemm::cuda {

LIBSGEMM_SLICED_K_CODE(sm90_ffma_128x128x16_sliced_k, SquareSlicedK, false, false, false)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_128x128x16_sliced_k_along_k, SquareSlicedK, false, true, false)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_128x128x16_sliced_k_along_k_swapped, SquareSlicedK, true, true, false)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_128x128x16_sliced_k_along_k_transposed, SquareSlicedK, false, true, true)

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

KernelList sm90_ffma_128x128x16_sliced_k() {
  return sliced_k_entry<SquareSlicedK>("sm90_ffma_128x128x16_sliced_k", launch);
}

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C on sm_90, where C has fewer tiles than there are multiprocessors: the 2, 4 or 8 blocks
// of a cluster share out the k of one tile.
//
// The product is that of sm90_ffma_256x128x16_stream_k. At its end each block leaves its sums in its shared memory, and
// adds up one part of the tile from the shared memory of all, in the order of k: no workspace, no second kernel.
//
// Source: Osama et al., "Stream-K" (PPoPP 2023), for the shares; CUDA C++ Programming Guide, for the copy engine and
// register reallocation; Gray, "maxas: SGEMM", for dealing out registers by bank.
//
//   tile of C: 256 x 128                warp: 64 x 64 = 4 x 8 lanes      thread: 16 x 8
//   +---------+---------+               first row 4 r, column 4 c        4 groups of 4 rows, 16 apart
//   | warp 0  | warp 4  |               r = lane / 2 % 4                 2 groups of 4 columns, 32 apart
//   |   ...   |   ...   |               c = 2 (lane / 8) + lane % 2
//   | warp 3  | warp 7  |               warps 8 to 11 supply
//   +---------+---------+
//
// Shared memory, bytes: stage s of 5 at 24576 s: A at 0 and 8192 (boxes of 16 rows of 128 floats), B at 16384; from
// 122880 on the second ring, 3 stages of 30720, for operands that are transposed or aligned; then 16 barriers.
//
// Requires: gemm of FP32; sm_90 (its own features, 90a); one product, m, n, k of at least 4, k of more than 16.
//
// Parameters (StreamKShape): tile_m, tile_n, tile_k of a block; stages of both rings; unroll, steps of k in the loop.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 512 x 512 x 512 NN, NT, TN, TT 12.0, 12.2, 11.6, 11.7; cuBLAS
// 13.1 17. Only 30 clusters of 4 are resident, so that 1024 x 1024 x 1024 takes two waves: 24 against 39.
#include "kernels.h"
#include "steered.h"
#include "stream_k.cuh"
#include "stream_k_row.h"

namespace libsgemm::cuda {

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_cluster(const __grid_constant__ StreamKOperands operands,
                                 const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::cluster, false, false>(operands, p);
#endif
}

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_cluster_swapped(const __grid_constant__ StreamKOperands operands,
                                         const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::cluster, true, false>(operands, p);
#endif
}

namespace {

libsgemm_status_t launch_row(const GemmDesc &desc, const Launch &launch, Error *error) {
  using Function = StreamKKernel::Function;
  static const StreamKKernel kernel = {
      {{steered<Function>("sm90_ffma_256x128x16_cluster", sm90_ffma_256x128x16_cluster),
        steered<Function>("sm90_ffma_256x128x16_cluster_swapped", sm90_ffma_256x128x16_cluster_swapped)},
       {}}};
  const StreamKPlan plan = stream_k_plan(desc, Sharing::cluster, launch.device);
  return launch_stream_k(desc, plan, kernel, launch, error);
}

}  // namespace

Kernel sm90_ffma_256x128x16_cluster() {
  return stream_k_row<Sharing::cluster>("sm90_ffma_256x128x16_cluster", launch_row);
}

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C on sm_90 for a C of few tiles and a deep k: all multiprocessors take slices of k.
//
// The mainloop is that of sm90_ffma_256x128x16_stream_k. Each block stores its partial tile to the workspace;
// stream_k_sum() adds them in the order of k.
//
// Source: Osama et al., "Stream-K" (PPoPP 2023), for the shares; CUDA C++ Programming Guide, for TMA and
// register reallocation; Gray, "maxas: SGEMM", for assigning registers by bank.
//
//   tile of C: 256 x 128                warp: 64 x 64 = 4 x 8 lanes      thread: 16 x 8
//   +---------+---------+               first row 4 r, column 4 c        4 groups of 4 rows, 16 apart
//   | warp 0  | warp 4  |               r = lane / 2 % 4                 2 groups of 4 columns, 32 apart
//   |   ...   |   ...   |               c = 2 (lane / 8) + lane % 2
//   | warp 3  | warp 7  |               A along k: first row r           16 rows, 4 apart
//   +---------+---------+               and unaligned: row w + 4 r,      16 rows, 16 apart
//   warps 8 to 11 supply                w = warp % 4
//
// Shared memory, bytes: stage s of 5 at 26112 s: A at 0 and 8192 (boxes of 16 rows of 128 floats), B at 16384; or A
// along k at 0 (256 rows of 16 floats, swizzled), B at 17920, from 16384 on the three rows of B before the k-tile; from
// 130560 on the second ring, 3 stages of 30720, for operands that are transposed or aligned; then 16 barriers.
//
// Requires: gemm of FP32; sm_90 (its own features, 90a); one product, m, n, k of at least 4, k of more than 16; no more
// tiles than multiprocessors.
//
// Parameters (StreamKShape): tile_m, tile_n, tile_k of a block; stages of both rings.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 512 x 512 x 16384 NN, NT, TN, TT 50, 50, 46, 50; cuBLAS 13.1
// 48, 49, 45, 48.
#include "gpu/kernels.h"
#include "reassigned.h"
#include "runtime/launch.h"
#include "stream_k.cuh"
#include "stream_k_row.h"

namespace libsgemm::cuda {

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_split_k(const __grid_constant__ StreamKOperands operands,
                                 const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::split_k, false, false>(operands, p);
#endif
}

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_split_k_swapped(const __grid_constant__ StreamKOperands operands,
                                         const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::split_k, true, false>(operands, p);
#endif
}

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_split_k_along_k(const __grid_constant__ StreamKOperands operands,
                                         const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::split_k, false, true>(operands, p);
#endif
}

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_split_k_along_k_swapped(const __grid_constant__ StreamKOperands operands,
                                                 const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::split_k, true, true>(operands, p);
#endif
}

namespace {

template <bool kSwapped, bool kAlongK>
__global__ void __launch_bounds__(StreamKShape::multipliers) stream_k_sum(const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k_sum_slices<kSwapped, kAlongK>(p);
#endif
}

libsgemm_status_t launch_row(const GemmDesc &desc, const Launch &launch, Error *error) {
  using Function = StreamKKernel::Function;
  static const StreamKKernel kernel = {
      {{reassigned<Function>("sm90_ffma_256x128x16_split_k", sm90_ffma_256x128x16_split_k),
        reassigned<Function>("sm90_ffma_256x128x16_split_k_swapped", sm90_ffma_256x128x16_split_k_swapped)},
       {reassigned<Function>("sm90_ffma_256x128x16_split_k_along_k", sm90_ffma_256x128x16_split_k_along_k),
        reassigned<Function>("sm90_ffma_256x128x16_split_k_along_k_swapped",
                             sm90_ffma_256x128x16_split_k_along_k_swapped)}}};
  const StreamKPlan plan = stream_k_plan(desc, Sharing::split_k, launch.device);
  libsgemm_status_t status = launch_stream_k(desc, plan, kernel, launch, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const StreamKProblem p = stream_k_problem(desc, plan, launch);
  const dim3 grid(static_cast<unsigned>(p.tiles_m * p.tiles_n * StreamKShape::vectors));
  const auto sum = plan.along_k ? (plan.swapped ? stream_k_sum<true, true> : stream_k_sum<false, true>)
                                : (plan.swapped ? stream_k_sum<true, false> : stream_k_sum<false, false>);
  return launch_kernel(sum, grid, dim3(StreamKShape::multipliers), 0, launch, error, p);
}

}  // namespace

Kernel sm90_ffma_256x128x16_split_k() {
  return stream_k_row<Sharing::split_k>("sm90_ffma_256x128x16_split_k", launch_row);
}

}  // namespace libsgemm::cuda

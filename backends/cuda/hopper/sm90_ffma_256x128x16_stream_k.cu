// C = alpha op(A) op(B) + beta C on sm_90 for a C of many tiles: step 8 of the ladder. Why, figures, and what was
// tried: docs/kernels/ffma.md.
//
// Persistent blocks; four warps supply operands, eight only multiply. Some tiles are cut along k into equal shares
// (stream-K), whose sums are added in the order of k, so results are repeatable.
//
// Source: Osama et al., "Stream-K" (PPoPP 2023); CUDA C++ Programming Guide, for TMA and register reallocation; Gray,
// "maxas: SGEMM", for assigning registers by bank.
//
//   tile of C: 256 x 128                warp: 64 x 64 = 4 x 8 lanes      thread: 16 x 8
//   +---------+---------+               first row 4 r, column 4 c        4 groups of 4 rows, 16 apart
//   | warp 0  | warp 4  |               r = lane / 2 % 4                 2 groups of 4 columns, 32 apart
//   |   ...   |   ...   |               c = 2 (lane / 8) + lane % 2
//   | warp 3  | warp 7  |               K-major A: first row r           16 rows, 4 apart
//   +---------+---------+               and unaligned: row w + 4 r,      16 rows, 16 apart
//   warps 8 to 11 supply                w = warp % 4
//
// Shared memory: 5 stages of 16 k (outer_product.cuh; with a K-major A also the three rows of B before the k-tile),
// then 3 of the second ring, for operands to be transposed or aligned.
//
// Requires: gemm of FP32; code for sm_90a; one product; m, n, k of at least 4.
#include "gpu/kernels.h"
#include "reassigned.h"
#include "stream_k.cuh"
#include "stream_k_kernel.h"

namespace libsgemm::cuda {

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_stream_k(const __grid_constant__ StreamKOperands operands,
                                  const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::stream, false, false>(operands, p);
#endif
}

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_stream_k_swapped(const __grid_constant__ StreamKOperands operands,
                                          const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::stream, true, false>(operands, p);
#endif
}

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_stream_k_along_k(const __grid_constant__ StreamKOperands operands,
                                          const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::stream, false, true>(operands, p);
#endif
}

extern "C" __global__ void __launch_bounds__(StreamKShape::threads, 1)
    sm90_ffma_256x128x16_stream_k_along_k_swapped(const __grid_constant__ StreamKOperands operands,
                                                  const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Sharing::stream, true, true>(operands, p);
#endif
}

const StreamKKernel &stream_k_kernel() {
  using Function = StreamKKernel::Function;
  static const StreamKKernel kernel = {
      {{reassigned<Function>("sm90_ffma_256x128x16_stream_k", sm90_ffma_256x128x16_stream_k),
        reassigned<Function>("sm90_ffma_256x128x16_stream_k_swapped", sm90_ffma_256x128x16_stream_k_swapped)},
       {reassigned<Function>("sm90_ffma_256x128x16_stream_k_along_k", sm90_ffma_256x128x16_stream_k_along_k),
        reassigned<Function>("sm90_ffma_256x128x16_stream_k_along_k_swapped",
                             sm90_ffma_256x128x16_stream_k_along_k_swapped)}}};
  return kernel;
}

namespace {

libsgemm_status_t launch_product(const GemmDesc &desc, const Launch &launch, Error *error) {
  const StreamKPlan plan = stream_k_plan(desc, Sharing::stream, launch.device);
  return launch_stream_k(desc, plan, stream_k_kernel(), launch, error);
}

}  // namespace

KernelList sm90_ffma_256x128x16_stream_k() {
  Kernel kernel = stream_k_entry<Sharing::stream>("sm90_ffma_256x128x16_stream_k", launch_product);
  kernel.invariant = true;  // plan_stream() cuts no tiles then
  return kernel;
}

}  // namespace libsgemm::cuda

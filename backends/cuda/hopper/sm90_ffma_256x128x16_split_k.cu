// sm90_ffma_256x128x16_stream_k for a C of few tiles and a deep k: blocks store partial tiles of slices of k to the
// workspace, and stream_k_sum() adds them in the order of k.
//
// Requires, in addition: k above 16; no more tiles than multiprocessors.
#include "gpu/kernels.h"
#include "reassigned.h"
#include "runtime/launch.h"
#include "stream_k.cuh"
#include "stream_k_kernel.h"

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

libsgemm_status_t launch_product(const GemmDesc &desc, const Launch &launch, Error *error) {
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

KernelList sm90_ffma_256x128x16_split_k() {
  return stream_k_entry<Sharing::split_k>("sm90_ffma_256x128x16_split_k", launch_product);
}

}  // namespace libsgemm::cuda

// Kernels that add the slices of a split-K convolution.
#include "gpu/conv/conv_split_k_sum.h"

namespace libsgemm::cuda {
namespace {

using namespace gpu;

__global__ void __launch_bounds__(kSumThreads) conv_split_k_sum(const __grid_constant__ ConvProblem p, int slices) {
  sum_conv_slices<float>(p, slices);
}

__global__ void __launch_bounds__(kSumThreads)
    conv_split_k_sum_fp64(const __grid_constant__ ConvProblem p, int slices) {
  sum_conv_slices<double>(p, slices);
}

}  // namespace
}  // namespace libsgemm::cuda

namespace libsgemm::gpu {

libsgemm_status_t launch_conv_split_k_sum(const ConvProblem &p, int slices, int64_t groups, const Launch &launch,
                                          Error *error) {
  return enqueue_conv_sum(&cuda::conv_split_k_sum, p, slices, groups, launch, error);
}

libsgemm_status_t launch_conv_split_k_sum_fp64(const ConvProblem &p, int slices, int64_t groups, const Launch &launch,
                                               Error *error) {
  return enqueue_conv_sum(&cuda::conv_split_k_sum_fp64, p, slices, groups, launch, error);
}

}  // namespace libsgemm::gpu

#include "gpu/conv/conv_split_k_sum.h"

namespace libsgemm::hip {
namespace {

using namespace gpu;

__global__ void __launch_bounds__(kSumThreads) conv_split_k_sum(const __grid_constant__ ConvProblem p, int slices) {
  sum_conv_slices<float>(p, slices);
}

}  // namespace
}  // namespace libsgemm::hip

libsgemm_status_t libsgemm::gpu::launch_conv_split_k_sum(const ConvProblem &p, int slices, int64_t groups,
                                                         const Launch &launch, Error *error) {
  return enqueue_conv_sum(&hip::conv_split_k_sum, p, slices, groups, launch, error);
}

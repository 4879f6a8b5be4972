// The second kernel of the convolutions that split k: gpu/split_k_sum.h, to where the output's elements lie.
#include "conv_row.h"
#include "gpu/split_k_sum.h"

namespace libsgemm::cuda {
namespace {

template <typename Real>
__device__ __forceinline__ void sum(const ConvProblem &p, int slices) {
  sum_slices_to<Real>(
      p.product, slices, [](int64_t) { return true; },
      [&](int64_t row, int64_t column) {
        return global(p.c.data) + blockIdx.z * p.c.group + place_of(p.row, p.c.row, static_cast<int>(row)) +
               place_of(p.column, p.c.column, static_cast<int>(column));
      });
}

__global__ void __launch_bounds__(kSumThreads) conv_split_k_sum(const __grid_constant__ ConvProblem p, int slices) {
  sum<float>(p, slices);
}

__global__ void __launch_bounds__(kSumThreads)
    conv_split_k_sum_fp64(const __grid_constant__ ConvProblem p, int slices) {
  sum<double>(p, slices);
}

libsgemm_status_t enqueue(void (*kernel)(ConvProblem, int), const ConvProblem &p, int slices, int64_t groups,
                          const Launch &launch, Error *error) {
  const SumGrid at(p.product, slices, groups);
  return launch_kernel(kernel, at.grid, at.block, 0, launch, error, p, slices);
}

}  // namespace

libsgemm_status_t launch_conv_split_k_sum(const ConvProblem &p, int slices, int64_t groups, const Launch &launch,
                                          Error *error) {
  return enqueue(&conv_split_k_sum, p, slices, groups, launch, error);
}

libsgemm_status_t launch_conv_split_k_sum_fp64(const ConvProblem &p, int slices, int64_t groups, const Launch &launch,
                                               Error *error) {
  return enqueue(&conv_split_k_sum_fp64, p, slices, groups, launch, error);
}

}  // namespace libsgemm::cuda

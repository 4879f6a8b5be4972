// Adds the slices of sm90_conv_repair, like conv_split_k_sum_fp64.
#include "conv_splits.cuh"
#include "gpu/launch.h"
#include "gpu/tiles/split_k_sum.h"

namespace libsgemm::cuda {
namespace {

__global__ void __launch_bounds__(kSumThreads)
    conv_repair_sum(const __grid_constant__ ConvProblem p, int slices, const __grid_constant__ ConvWeightsGuard guard) {
  if (!left_out(guard)) return;
  sum_slices_to<double>(
      p.product, slices, [](int64_t) { return true; },
      [&](int64_t row, int64_t column) {
        return global(p.c.data) + place_of(p.row, p.c.row, static_cast<int>(row)) +
               place_of(p.column, p.c.column, static_cast<int>(column));
      });
}

}  // namespace

libsgemm_status_t launch_conv_repair_sum(const ConvProblem &p, int slices, const ConvWeightsGuard &guard,
                                         const Launch &launch, Error *error) {
  const SumGrid at(p.product, slices, 1);
  return launch_kernel(&conv_repair_sum, at.grid, at.block, 0, launch, error, p, slices, guard);
}

}  // namespace libsgemm::cuda

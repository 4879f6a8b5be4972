#include "gpu/tiles/split_k_sum.h"

namespace libsgemm::hip {

using namespace gpu;

namespace {

__global__ void __launch_bounds__(kSumThreads) split_k_sum_fp64(const __grid_constant__ StridedOperands operands,
                                                                const __grid_constant__ TileProblem p, int slices) {
  sum_slices<double>(operands, p, slices);
}

}  // namespace

libsgemm_status_t launch_split_k_sum_fp64(const TileProblem &p, int slices, const StridedOperands &operands,
                                          int64_t count, const Launch &launch, Error *error) {
  return enqueue_sum(&split_k_sum_fp64, p, slices, operands, count, launch, error);
}

}  // namespace libsgemm::hip

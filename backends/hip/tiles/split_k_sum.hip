// The sum of split-K for FP32 slices, on AMD GPUs.
#include "gpu/tiles/split_k_sum.h"

namespace libsgemm::hip {
namespace {

using namespace gpu;

__global__ void __launch_bounds__(kSumThreads)
    split_k_sum(const __grid_constant__ StridedOperands operands, const __grid_constant__ TileProblem p, int slices) {
  sum_slices<float>(operands, p, slices);
}

}  // namespace
}  // namespace libsgemm::hip

libsgemm_status_t libsgemm::gpu::launch_split_k_sum(const TileProblem &p, int slices, const StridedOperands &operands,
                                                    int64_t count, const Launch &launch, Error *error) {
  return enqueue_sum(&hip::split_k_sum, p, slices, operands, count, launch, error);
}

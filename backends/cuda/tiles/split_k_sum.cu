// The second kernel of split-K: gpu/tiles/split_k_sum.h.
#include "cuda/ptx.h"
#include "cuda/runtime/launch.h"
#include "gpu/tiles/split_k_sum.h"

namespace libsgemm::cuda {
namespace {

using namespace gpu;

__global__ void __launch_bounds__(kSumThreads)
    split_k_sum(const __grid_constant__ StridedOperands operands, const __grid_constant__ TileProblem p, int slices) {
  ptx::let_next_grid_start();
  ptx::wait_for_grid_before();
  sum_slices<float>(operands, p, slices);
}

}  // namespace
}  // namespace libsgemm::cuda

libsgemm_status_t libsgemm::gpu::launch_split_k_sum(const TileProblem &p, int slices, const StridedOperands &operands,
                                                    int64_t count, const Launch &launch, Error *error) {
  const gpu::SumGrid at(p, slices, count);
  return cuda::launch_after(&cuda::split_k_sum, 1, at.grid, at.block, 0, launch, error, operands, p, slices);
}

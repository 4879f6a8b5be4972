#include "gpu/thin/skinny_sum.h"

namespace libsgemm::cuda {
namespace {

using namespace gpu;

__global__ void __launch_bounds__(kSkinnySumThreads)
    skinny_sum(const __grid_constant__ SkinnyWork work, const __grid_constant__ SkinnySumShape shape) {
  sum_skinny_tile(work, shape);
}

}  // namespace
}  // namespace libsgemm::cuda

libsgemm_status_t libsgemm::gpu::sum_skinny_partials(const SkinnyTile &tile, const SkinnyPlan &plan,
                                                     const Launch &launch, Error *error) {
  return enqueue_skinny_sum(&cuda::skinny_sum, tile, plan, launch, error);
}

#include "gpu/scale.h"

namespace libsgemm::cuda {
namespace {

using namespace gpu;

template <typename Operands>
__global__ void __launch_bounds__(kScaleThreads)
    scale_kernel(const __grid_constant__ Operands operands, const __grid_constant__ ScaleProblem p, int64_t products) {
  scale_tiles(operands, p, products);
}

}  // namespace
}  // namespace libsgemm::cuda

libsgemm_status_t libsgemm::gpu::scale(const GemmDesc &desc, const Launch &launch, Error *error) {
  return enqueue_scale(desc, launch, error,
                       [](const auto &operands) { return &cuda::scale_kernel<std::decay_t<decltype(operands)>>; });
}

#include "gpu/conv/col2im.h"

#include "gpu/conv/col2im_kernel.h"

namespace libsgemm::cuda {
namespace {

template <int kChannels>
__global__ void __launch_bounds__(gpu::kCol2imThreads) col2im(const __grid_constant__ gpu::Col2imProblem p) {
  gpu::col2im_sum<kChannels>(p);
}

}  // namespace
}  // namespace libsgemm::cuda

libsgemm_status_t libsgemm::gpu::launch_col2im(const Col2imProblem &p, const Launch &launch, Error *error) {
  return enqueue_col2im(p.each == 1 ? &cuda::col2im<1> : &cuda::col2im<kCol2imChannels>, p, launch, error);
}

// The copy that trmm multiplies: gpu/level3/trmm_copy.h.
#include "gpu/level3/trmm_copy_kernel.h"

namespace libsgemm::cuda {
namespace {

using namespace gpu::level3;

__global__ void __launch_bounds__(kCopyRows *kCopyColumnsAtOnce)
    trmm_copy(const float *source, float *target, const __grid_constant__ CopyProblem p) {
  copy_tile(source, target, p);
}

}  // namespace
}  // namespace libsgemm::cuda

libsgemm_status_t libsgemm::gpu::level3::launch_copy(const GemmDesc &desc, const Launch &launch, Error *error) {
  return enqueue_copy(&cuda::trmm_copy, desc, launch, error);
}

#include "gpu/level3/trmm_copy_kernel.h"

namespace libsgemm::hip {
namespace {

using namespace gpu::level3;

__global__ void __launch_bounds__(kCopyRows *kCopyColumnsAtOnce)
    trmm_copy(const float *source, float *target, const __grid_constant__ CopyProblem p) {
  copy_tile(source, target, p);
}

}  // namespace
}  // namespace libsgemm::hip

libsgemm_status_t libsgemm::gpu::level3::launch_copy(const GemmDesc &desc, const Launch &launch, Error *error) {
  return enqueue_copy(&hip::trmm_copy, desc, launch, error);
}

#include "gpu/conv/conv_pack.h"

namespace libsgemm::cuda {
namespace {

__global__ void __launch_bounds__(gpu::kConvPackThreads) conv_pack(const __grid_constant__ gpu::ConvPackProblem p) {
  gpu::conv_pack_filters(p);
}

}  // namespace
}  // namespace libsgemm::cuda

libsgemm_status_t libsgemm::gpu::launch_conv_pack(const ConvPackProblem &p, const Launch &launch, Error *error) {
  return enqueue_conv_pack(&cuda::conv_pack, p, launch, error);
}

#include "gpu/checksum/checksum.h"

namespace libsgemm::cuda {
namespace {

using namespace gpu;

template <Type kType, bool kRounds, bool kSquares>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(kSumThreads, 4) checksum_sum_rows(const __grid_constant__ SumWork w) {
  sum_rows<kType, kRounds, kSquares>(w);
}

__global__ void LIBSGEMM_LAUNCH_BOUNDS(kSumThreads, 1)
    checksum_start(const __grid_constant__ SumWork w, double *found, uint64_t seed) {
  start_signs(w, found, seed);
}

__global__ void LIBSGEMM_LAUNCH_BOUNDS(kSumThreads, 1)
    checksum_finish(const __grid_constant__ SumWork w, double *weights, double *norms) {
  finish_sums(w, weights, norms);
}

__global__ void LIBSGEMM_LAUNCH_BOUNDS(kSumThreads, 1) checksum_judge(const __grid_constant__ JudgeWork w) {
  judge_rows(w);
}

}  // namespace
}  // namespace libsgemm::cuda

libsgemm_status_t libsgemm::gpu::checksum(const GemmDesc &desc, const Checksum &what, bool after, const Launch &launch,
                                          Error *error) {
  using namespace cuda;
  static const ChecksumKernels kernels = {
      {checksum_sum_rows<Type::f32, false, true>, checksum_sum_rows<Type::f16, false, true>,
       checksum_sum_rows<Type::bf16, false, true>},
      {checksum_sum_rows<Type::f32, false, false>, checksum_sum_rows<Type::f16, false, false>,
       checksum_sum_rows<Type::bf16, false, false>},
      checksum_sum_rows<Type::f32, true, true>,
      checksum_sum_rows<Type::f32, true, false>,
      checksum_start,
      checksum_finish,
      checksum_judge};
  return enqueue_checksum(desc, what, after, launch, kernels, error);
}

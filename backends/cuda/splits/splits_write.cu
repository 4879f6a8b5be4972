#include "gpu/launch.h"
#include "gpu/splits/splits_pass.h"
#include "tf32_pass.h"

namespace libsgemm::cuda {

using namespace gpu;

namespace {

template <bool kRanges>
__global__ void __launch_bounds__(kPassThreads) splits_survey(const __grid_constant__ PassProblem p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  survey<kRanges>(p);
#endif
}

template <Scheme kScheme, bool kRanges = false>
__global__ void __launch_bounds__(kPassThreads) splits_write(const __grid_constant__ PassProblem p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  split<kScheme, kRanges>(p);
#endif
}

}  // namespace

void (*tf32_pass())(PassProblem) { return splits_write<Scheme::tf32>; }

}  // namespace libsgemm::cuda

namespace libsgemm::gpu {

using namespace cuda;

libsgemm_status_t launch_survey(const PassProblem &p, int64_t products, const Launch &launch, Error *error) {
  const dim3 grid(p.a.survey + p.b.survey, 1, static_cast<unsigned>(products));
  auto *kernel = p.wants_ranges() ? &splits_survey<true> : &splits_survey<false>;
  return launch_kernel(kernel, grid, dim3(kPassThreads), 0, launch, error, p);
}

libsgemm_status_t launch_split(Scheme scheme, const PassProblem &p, int64_t products, const Launch &launch,
                               Error *error) {
  const dim3 grid(p.a.split + p.b.split, 1, static_cast<unsigned>(products));
  auto *kernel = scheme == Scheme::bf16x3 ? &splits_write<Scheme::bf16x3>
                 : p.wants_ranges()       ? &splits_write<Scheme::fp16x2, true>
                                          : &splits_write<Scheme::fp16x2>;
  return launch_kernel(kernel, grid, dim3(kPassThreads), 0, launch, error, p);
}

}  // namespace libsgemm::gpu

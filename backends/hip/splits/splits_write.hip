#include "gpu/launch.h"
#include "gpu/splits/splits_pass.h"

namespace libsgemm::hip {
namespace {

using namespace gpu;

template <bool kRanges>
__global__ void __launch_bounds__(kPassThreads) splits_survey(const __grid_constant__ PassProblem p) {
  survey<kRanges>(p);
}

template <Scheme kScheme, bool kRanges = false>
__global__ void __launch_bounds__(kPassThreads) splits_write(const __grid_constant__ PassProblem p) {
#if !defined(__gfx90a__)  // no mode with splits
  split<kScheme, kRanges>(p);
#else
  (void)p;
#endif
}

}  // namespace
}  // namespace libsgemm::hip

libsgemm_status_t libsgemm::gpu::launch_survey(const PassProblem &p, int64_t products, const Launch &launch,
                                               Error *error) {
  const dim3 grid(p.a.survey + p.b.survey, 1, static_cast<unsigned>(products));
  auto *kernel = p.wants_ranges() ? &hip::splits_survey<true> : &hip::splits_survey<false>;
  return launch_kernel(kernel, grid, dim3(kPassThreads), 0, launch, error, p);
}

libsgemm_status_t libsgemm::gpu::launch_split(Scheme scheme, const PassProblem &p, int64_t products,
                                              const Launch &launch, Error *error) {
  const dim3 grid(p.a.split + p.b.split, 1, static_cast<unsigned>(products));
  auto *kernel = scheme == Scheme::bf16x3 ? &hip::splits_write<Scheme::bf16x3>
                 : p.wants_ranges()       ? &hip::splits_write<Scheme::fp16x2, true>
                                          : &hip::splits_write<Scheme::fp16x2>;
  return launch_kernel(kernel, grid, dim3(kPassThreads), 0, launch, error, p);
}

#include "blocked.h"

namespace libsgemm::gpu::level3 {
namespace {

// Two gemms that accumulate into C are not one sequence of additions.
bool supports_triangle(const GemmDesc &desc, int) {
  if (invariant(desc) && traits_of(desc).terms() > 1) return false;
  return wants_triangle(desc) && desc.type == Type::f32;
}

libsgemm_status_t launch_triangle(const GemmDesc &desc, const Launch &launch, Error *error) {
  return launch_squares(desc, launch, error, launch_triangle);
}

double triangle_cost(const GemmDesc &desc, int device) { return squares_seconds(desc, device); }

template <Routine kRoutine>
bool supports_panels(const GemmDesc &desc, int) {
  return desc.routine == kRoutine && desc.batch != Batch::pointers;
}

template <Routine kRoutine>
libsgemm_status_t launch_panels(const GemmDesc &desc, const Launch &launch, Error *error) {
  return launch_recursively(desc, launch, error, launch_panels<kRoutine>);
}

double panels_cost(const GemmDesc &desc, int device) { return recursive_seconds(desc, device); }

template <Routine kRoutine>
Kernel panels_kernel(const char *name) {
  Kernel kernel = {name, LIBSGEMM_MATH_FP32, prepare_fixed<supports_panels<kRoutine>, panels_cost>,
                   launch_panels<kRoutine>};
  kernel.in_steps = true;
  return kernel;
}

}  // namespace

Kernel blocked_triangle_kernel(const char *name) {
  Kernel kernel = {name, LIBSGEMM_MATH_FP32, prepare_fixed<supports_triangle, triangle_cost>, launch_triangle};
  kernel.in_steps = true;
  kernel.invariant = true;
  return kernel;
}

Kernel blocked_trmm_kernel(const char *name) { return panels_kernel<Routine::trmm>(name); }

Kernel blocked_trsm_kernel(const char *name) { return panels_kernel<Routine::trsm>(name); }

}  // namespace libsgemm::gpu::level3

// Legality first, then cost.
#include "kernel_table.h"

namespace libsgemm {
namespace {

const Kernel *cheapest(const Backend &backend, const GemmDesc &desc, int device, size_t workspace_bytes,
                       libsgemm_math_mode_t mode) {
  const Kernel *best = nullptr;
  double best_cost = 0;
  for (int row = 0; row < backend.kernel_count; ++row) {
    const Kernel &kernel = backend.kernels[row];
    if (kernel.math_mode != mode || !kernel.supports(desc, device)) continue;
    if (workspace_of(kernel, desc, device) > workspace_bytes) continue;
    const double cost = kernel.cost(desc, device);
    if (best == nullptr || cost < best_cost) {
      best = &kernel;
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace

const Kernel *select_kernel(const Backend &backend, const GemmDesc &desc, int device, size_t workspace_bytes) {
  const Kernel *kernel = cheapest(backend, desc, device, workspace_bytes, desc.math_mode);
  if (kernel == nullptr && desc.math_mode != LIBSGEMM_MATH_FP32) {
    kernel = cheapest(backend, desc, device, workspace_bytes, LIBSGEMM_MATH_FP32);
  }
  return kernel;
}

}  // namespace libsgemm

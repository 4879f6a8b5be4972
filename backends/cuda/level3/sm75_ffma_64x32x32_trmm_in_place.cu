// The product of a triangle and a matrix, in place (gpu/level3/panel.h).
#include "gpu/level3/panel.h"
#include "runtime/device.h"

namespace libsgemm::cuda {
namespace {

using namespace gpu;
using namespace gpu::level3;

__global__ void __launch_bounds__(PanelConfig::kThreads, PanelConfig::kResident)
    sm75_ffma_64x32x32_trmm_in_place_kernel(const __grid_constant__ StridedOperands operands,
                                            const __grid_constant__ PanelProblem problem, unsigned panels) {
  compute_panel<false>(operands, problem, panels);
}

bool supports(const GemmDesc &desc, int) { return desc.routine == Routine::trmm && desc.batch != Batch::pointers; }

double cost(const GemmDesc &desc, int index) { return panel_seconds(desc, index); }

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  return launch_panels(desc, launch, error, sm75_ffma_64x32x32_trmm_in_place_kernel);
}

}  // namespace

KernelList sm75_ffma_64x32x32_trmm_in_place() {
  Kernel kernel = {"sm75_ffma_64x32x32_trmm_in_place", LIBSGEMM_MATH_FP32, prepare_fixed<supports, cost>, enqueue};
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::cuda

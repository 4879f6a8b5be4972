// Triangular systems by blocked substitution (gpu/level3/panel.h).
#include "gpu/level3/panel.h"
#include "runtime/device.h"

namespace libsgemm::cuda {
namespace {

using namespace gpu;
using namespace gpu::level3;

__global__ void __launch_bounds__(PanelConfig::kThreads, PanelConfig::kResident)
    sm75_ffma_64x32x32_trsm_kernel(const __grid_constant__ StridedOperands operands,
                                   const __grid_constant__ PanelProblem problem, unsigned panels) {
  compute_panel<true>(operands, problem, panels);
}

bool supports(const GemmDesc &desc, int) { return desc.routine == Routine::trsm && desc.batch != Batch::pointers; }

double cost(const GemmDesc &desc, int index) { return panel_seconds(desc, index); }

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  return launch_panels(desc, launch, error, sm75_ffma_64x32x32_trsm_kernel);
}

}  // namespace

KernelList sm75_ffma_64x32x32_trsm() {
  return Kernel{"sm75_ffma_64x32x32_trsm", LIBSGEMM_MATH_FP32, prepare_fixed<supports, cost>, enqueue};
}

}  // namespace libsgemm::cuda

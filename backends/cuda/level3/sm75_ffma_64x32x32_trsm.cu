// sm75_ffma_64x32x32_trsm: triangular systems by blocked substitution.
//
// A block of 128 threads solves 32 columns of X (rows, from the right), in tiles of 64 x 32, one after the other;
// gpu/level3/panel.h has the picture, the shared-memory map and the source.
//
// Requires: trsm. Any size, stride and alignment; no workspace.
// Measured: its results on an H100, by the tests; its speed not yet.
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

Kernel sm75_ffma_64x32x32_trsm() {
  return {"sm75_ffma_64x32x32_trsm", LIBSGEMM_MATH_FP32, supports, cost, nullptr, enqueue};
}

}  // namespace libsgemm::cuda

// Triangular systems by blocked substitution, and the product of a triangle and a matrix in place, on any AMD GPU:
// blocks of 128 threads compute 32 columns of X (rows, from the right) in tiles of 64 x 32 (gpu/level3/panel.h).
//
// Requires: trsm, or trmm; one or a strided batch; any size, stride and alignment; no workspace.
#include "gpu/kernels.h"
#include "gpu/level3/panel.h"

namespace libsgemm::hip {

using namespace gpu;
using namespace gpu::level3;

__global__ void LIBSGEMM_LAUNCH_BOUNDS(PanelConfig::kThreads, PanelConfig::kResident)
    gfx_fma_64x32x32_trsm(const __grid_constant__ StridedOperands operands,
                          const __grid_constant__ PanelProblem problem, unsigned panels) {
  compute_panel<true>(operands, problem, panels);
}

__global__ void LIBSGEMM_LAUNCH_BOUNDS(PanelConfig::kThreads, PanelConfig::kResident)
    gfx_fma_64x32x32_trmm_in_place(const __grid_constant__ StridedOperands operands,
                                   const __grid_constant__ PanelProblem problem, unsigned panels) {
  compute_panel<false>(operands, problem, panels);
}

namespace {

template <Routine kRoutine>
bool supports(const GemmDesc &desc, int) {
  return desc.routine == kRoutine && desc.batch != Batch::pointers;
}

}  // namespace

KernelList gfx_fma_64x32x32_trsm() {
  const auto launch = [](const GemmDesc &desc, const Launch &launch, Error *error) {
    return launch_panels(desc, launch, error, gfx_fma_64x32x32_trsm);
  };
  return Kernel{"gfx_fma_64x32x32_trsm", LIBSGEMM_MATH_FP32, prepare_fixed<supports<Routine::trsm>, panel_seconds>,
                launch};
}

KernelList gfx_fma_64x32x32_trmm_in_place() {
  const auto launch = [](const GemmDesc &desc, const Launch &launch, Error *error) {
    return launch_panels(desc, launch, error, gfx_fma_64x32x32_trmm_in_place);
  };
  Kernel kernel = {"gfx_fma_64x32x32_trmm_in_place", LIBSGEMM_MATH_FP32,
                   prepare_fixed<supports<Routine::trmm>, panel_seconds>, launch};
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::hip

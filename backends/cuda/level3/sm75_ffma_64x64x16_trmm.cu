// The product of a triangle and a matrix, from a copy of the matrix (level3_tile.cuh).
//
// Requires: trmm, and workspace for the copy: 4 n bytes times m rounded up to a multiple of 4, for each product.
#include "gpu/level3/trmm_copy.h"
#include "level3_tile.cuh"

namespace libsgemm::cuda {
namespace {

using namespace level3;
using Config = TileConfig<64, 64, 16, 6>;
constexpr Tiling kTiling = {Config::kM, Config::kN, Config::kThreads, Config::kResident, {0.5}};

__global__ void __launch_bounds__(Config::kThreads, Config::kResident)
    sm75_ffma_64x64x16_trmm_kernel(const __grid_constant__ StridedOperands operands,
                                   const __grid_constant__ StructuredProblem problem, unsigned tiles) {
  compute_tile<Config, Structure::triangular, Type::f32>(operands, problem, tiles);
}

bool supports(const GemmDesc &desc, int) {
  return desc.routine == Routine::trmm && desc.batch != Batch::pointers && copy_fits(desc);
}

double cost(const GemmDesc &desc, int index) {
  return copy_seconds(desc, index) + tiles_seconds(desc, device(index), kTiling);
}

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  const libsgemm_status_t status = launch_copy(desc, launch, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  return level3::launch_tiles<Config>(with_copy(desc, launch.workspace), launch, error, sm75_ffma_64x64x16_trmm_kernel);
}

}  // namespace

KernelList sm75_ffma_64x64x16_trmm() {
  Kernel kernel = {"sm75_ffma_64x64x16_trmm", LIBSGEMM_MATH_FP32, prepare_fixed<supports, cost, copy_bytes>, enqueue};
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::cuda

// A symmetric matrix times a general one (level3_tile.cuh).
#include "level3_tile.cuh"

namespace libsgemm::cuda {
namespace {

using namespace level3;
using Config = TileConfig<64, 64, 16, 6>;
constexpr Tiling kTiling = {Config::kM, Config::kN, Config::kThreads, Config::kResident, {0.5}};

__global__ void __launch_bounds__(Config::kThreads, Config::kResident)
    sm75_ffma_64x64x16_symm_kernel(const __grid_constant__ StridedOperands operands,
                                   const __grid_constant__ StructuredProblem problem, unsigned tiles) {
  compute_tile<Config, Structure::symmetric, Type::f32>(operands, problem, tiles);
}

bool supports(const GemmDesc &desc, int) { return desc.routine == Routine::symm && desc.batch == Batch::none; }

double cost(const GemmDesc &desc, int index) { return tiles_seconds(desc, device(index), kTiling); }

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  return level3::launch_tiles<Config>(desc, launch, error, sm75_ffma_64x64x16_symm_kernel);
}

}  // namespace

KernelList sm75_ffma_64x64x16_symm() {
  Kernel kernel = {"sm75_ffma_64x64x16_symm", LIBSGEMM_MATH_FP32, prepare_fixed<supports, cost>, enqueue};
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::cuda

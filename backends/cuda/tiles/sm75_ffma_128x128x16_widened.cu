// sm75_ffma_64x64x16_widened with tiles of 128 x 128 and blocks of 256 threads.
#include "level3/level3_tile.cuh"

namespace libsgemm::cuda {
namespace {

using namespace level3;
using Config = TileConfig<128, 128, 16, 2>;
constexpr Figures kFigures = {0.58, 0.05, kTileSteps, 8e-6};
constexpr Tiling kTiling = {Config::kM, Config::kN, Config::kThreads, Config::kResident, kFigures};

template <Type TYPE, typename Operands>
__global__ void __launch_bounds__(Config::kThreads, resident_blocks(Config::kResident))
    sm75_ffma_128x128x16_widened_kernel(const __grid_constant__ Operands operands,
                                        const __grid_constant__ StructuredProblem problem, unsigned tiles) {
  compute_tile<Config, Structure::general, TYPE>(operands, problem, tiles);
}

bool supports(const GemmDesc &desc, int) { return desc.routine == Routine::gemm && desc.type != Type::f32; }

double cost(const GemmDesc &desc, int index) { return 3 * tiles_seconds(desc, device(index), kTiling); }

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  const StructuredProblem problem = structured_problem(desc);
  const int64_t tiles = tile_count(problem, Config::kM, Config::kN);
  return for_chunks(desc, launch, INT32_MAX / tiles, [&](const auto &operands, int64_t count) {
    using Operands = std::decay_t<decltype(operands)>;
    auto *kernel = desc.type == Type::f16 ? sm75_ffma_128x128x16_widened_kernel<Type::f16, Operands>
                                          : sm75_ffma_128x128x16_widened_kernel<Type::bf16, Operands>;
    return launch_kernel(kernel, dim3(static_cast<unsigned>(tiles * count)), dim3(Config::kThreads), 0, launch, error,
                         operands, problem, static_cast<unsigned>(tiles));
  });
}

}  // namespace

KernelList sm75_ffma_128x128x16_widened() {
  Kernel kernel = {"sm75_ffma_128x128x16_widened", LIBSGEMM_MATH_FP32, prepare_fixed<supports, cost>, enqueue};
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::cuda

// sm75_ffma_64x64x16_triangle with tiles of 128 x 128 and blocks of 256 threads.
#include "level3_tile.cuh"

namespace libsgemm::cuda {
namespace {

using namespace level3;
using Config = TileConfig<128, 128, 16, 2>;
constexpr Tiling kTiling = {Config::kM, Config::kN, Config::kThreads, Config::kResident, {0.58}};

template <Type TYPE>
__global__ void __launch_bounds__(Config::kThreads, resident_blocks(Config::kResident))
    sm75_ffma_128x128x16_triangle_kernel(const __grid_constant__ StridedOperands operands,
                                         const __grid_constant__ StructuredProblem problem, unsigned tiles) {
  compute_tile<Config, Structure::general, TYPE>(operands, problem, tiles);
}

bool supports(const GemmDesc &desc, int) { return wants_triangle(desc); }

double cost(const GemmDesc &desc, int index) { return tiles_seconds(desc, device(index), kTiling); }

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  auto *kernel = desc.type == Type::f16    ? sm75_ffma_128x128x16_triangle_kernel<Type::f16>
                 : desc.type == Type::bf16 ? sm75_ffma_128x128x16_triangle_kernel<Type::bf16>
                                           : sm75_ffma_128x128x16_triangle_kernel<Type::f32>;
  return level3::launch_tiles<Config>(desc, launch, error, kernel);
}

}  // namespace

KernelList sm75_ffma_128x128x16_triangle() {
  Kernel kernel = {"sm75_ffma_128x128x16_triangle", LIBSGEMM_MATH_FP32, prepare_fixed<supports, cost>, enqueue};
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::cuda

// Triangles of C: only tiles that overlap the triangle are launched (level3_tile.cuh). 16-bit elements of
// syrk are converted to FP32, exactly, as they are stored in shared memory.
//
// Requires: a triangle of C in FP32, or syrk of FP16 or bfloat16 operands. Results of 16-bit operands have not
// been tested on a GPU.
#include "level3_tile.cuh"

namespace libsgemm::cuda {
namespace {

using namespace level3;
using Config = TileConfig<64, 64, 16, 6>;
constexpr Tiling kTiling = {Config::kM, Config::kN, Config::kThreads, Config::kResident, {0.5}};

template <Type TYPE>
__global__ void __launch_bounds__(Config::kThreads, Config::kResident)
    sm75_ffma_64x64x16_triangle_kernel(const __grid_constant__ StridedOperands operands,
                                       const __grid_constant__ StructuredProblem problem, unsigned tiles) {
  compute_tile<Config, Structure::general, TYPE>(operands, problem, tiles);
}

bool supports(const GemmDesc &desc, int) { return wants_triangle(desc); }

double cost(const GemmDesc &desc, int index) { return tiles_seconds(desc, device(index), kTiling); }

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  auto *kernel = desc.type == Type::f16    ? sm75_ffma_64x64x16_triangle_kernel<Type::f16>
                 : desc.type == Type::bf16 ? sm75_ffma_64x64x16_triangle_kernel<Type::bf16>
                                           : sm75_ffma_64x64x16_triangle_kernel<Type::f32>;
  return level3::launch_tiles<Config>(desc, launch, error, kernel);
}

}  // namespace

KernelList sm75_ffma_64x64x16_triangle() {
  Kernel kernel = {"sm75_ffma_64x64x16_triangle", LIBSGEMM_MATH_FP32, prepare_fixed<supports, cost>, enqueue};
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::cuda

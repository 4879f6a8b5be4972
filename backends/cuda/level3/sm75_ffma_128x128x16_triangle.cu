// sm75_ffma_128x128x16_triangle: syrk, syr2k and gemmtr, products of which only one triangle of C is computed.
//
// A block of 256 threads computes a tile of C, 8 x 8 elements per thread, double buffered in 33792 bytes of shared
// memory; level3_tile.cuh has the picture, the shared-memory map and the sources. Only tiles that overlap the triangle
// are launched. syr2k takes one pass: its second product, with A and B exchanged, follows the first in the same
// accumulators. 16-bit elements of syrk are converted to FP32, exactly, before they are stored in shared memory.
//
// Requires: syrk, syr2k or gemmtr in FP32, or syrk of FP16 or bfloat16 operands. Any size, stride and alignment.
// Measured: its results in FP32 on an H100, by the tests; those of 16-bit inputs, and its speed, not yet.
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

Kernel sm75_ffma_128x128x16_triangle() {
  Kernel kernel = {"sm75_ffma_128x128x16_triangle", LIBSGEMM_MATH_FP32, supports, cost, nullptr, enqueue};
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::cuda

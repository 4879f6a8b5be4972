// Computes the tiles of C that a product of splits leaves out (Guard in splits.h) from the operands themselves, by FP32
// fused multiply-adds. Blocks of other tiles return at once. Tile and threads: sm75_ffma_128x128x8_double_buffered,
// without vectors.
#include "gpu/splits/splits.h"
#include "gpu/tiles/tile_kernel.h"
#include "runtime/launch.h"
#include "tiles/double_buffered.cuh"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<128, 128, 8, 8, 8, 8, 2> {};
static_assert(Config::tile_m == kOuterPad && Config::tile_n == kOuterPad, "the tiles of the guard");

// From sm_100 on the compiler would spill with two blocks per multiprocessor.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
constexpr int kBlocks = 1;
#else
constexpr int kBlocks = 2;
#endif

template <Fetch KindA, Fetch KindB>
__global__ void __launch_bounds__(Config::threads, kBlocks)
    splits_repair(const __grid_constant__ StridedOperands operands, const __grid_constant__ TileProblem p,
                  const __grid_constant__ Guard guard) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const TilePosition<Config> at(p);
  if (guard(blockIdx.z, at.i, at.j)) double_buffered<Config, KindA, KindB>(operands, p);
#endif
}

}  // namespace

}  // namespace libsgemm::cuda

namespace libsgemm::gpu {

using namespace cuda;

libsgemm_status_t launch_repair(const GemmDesc &desc, const Guard &guard, const Launch &launch, Error *error) {
  const TileProblem p = tile_problem<Config>(desc);
  return for_strided_chunks(desc, kMostProducts, [&](const StridedOperands &operands, int64_t products) {
    const dim3 grid(static_cast<unsigned>(p.tiles_m) * static_cast<unsigned>(p.tiles_n), 1,
                    static_cast<unsigned>(products));
    return with_fetch<Engine::scalar, false>(desc, [&](auto a, auto b) {
      constexpr Fetch kA = decltype(a)::value, kB = decltype(b)::value;
      return launch_kernel(splits_repair<kA, kB>, grid, dim3(Config::threads),
                           DoubleBufferedLayout<Config, kA, kB>::bytes, launch, error, operands, p, guard);
    });
  });
}

}  // namespace libsgemm::gpu

// Computes the tiles of C that a product of splits leaves out (Guard in gpu/splits/splits.h) from the operands
// themselves by FP32 fused multiply-adds. Blocks of other tiles return at once. Tile and threads:
// gfx_fma_128x128x8_ping_pong, without vectors.
#include "gpu/splits/splits.h"
#include "gpu/tiles/tile_kernel.h"
#include "hip/tiles/valu.h"

namespace libsgemm::hip {
namespace {

struct Config : TileShape<128, 128, 8, 8, 8, 8, 2> {};
static_assert(Config::tile_m == kOuterPad && Config::tile_n == kOuterPad, "the tiles of the guard");

template <Fetch KindA, Fetch KindB>
__global__ void __launch_bounds__(Config::threads)
    splits_repair(const __grid_constant__ StridedOperands operands, const __grid_constant__ TileProblem p,
                  const __grid_constant__ Guard guard) {
  const TilePosition<Config> at(p);
  if (guard(blockIdx.z, at.i, at.j)) ping_pong<Config, KindA, KindB>(operands, p);
}

}  // namespace
}  // namespace libsgemm::hip

libsgemm_status_t libsgemm::gpu::launch_repair(const GemmDesc &desc, const Guard &guard, const Launch &launch,
                                               Error *error) {
  using Config = hip::Config;
  const TileProblem p = tile_problem<Config>(desc);
  return for_strided_chunks(desc, kMostProducts, [&](const StridedOperands &operands, int64_t products) {
    const dim3 grid(static_cast<unsigned>(p.tiles_m) * static_cast<unsigned>(p.tiles_n), 1,
                    static_cast<unsigned>(products));
    return with_fetch<Engine::scalar, false>(desc, [&](auto a, auto b) {
      constexpr Fetch kA = decltype(a)::value, kB = decltype(b)::value;
      return launch_kernel(hip::splits_repair<kA, kB>, grid, dim3(Config::threads), 0, launch, error, operands, p,
                           guard);
    });
  });
}

// As splits_repair.hip in mode fp32_fast, with FP64 accumulators, rounded once: tiles, loop and speed of
// gfx90a_dmfma_128x128x8_ping_pong.
//
// Requires: gemm of FP32, single or in strided batches; any size, transposition and alignment; gfx942 or 950.
#include "gpu/splits/fp64_count.h"
#include "hip/fp64/dmfma_128x128x8.h"

namespace libsgemm::hip {
namespace {

using Config = DmfmaConfig;
static_assert(Config::tile_m == kOuterPad && Config::tile_n == kOuterPad, "the tiles of the guard");

template <Fetch KindA, Fetch KindB>
__global__ void LIBSGEMM_DMFMA_BOUNDS splits_repair_fp64(const __grid_constant__ StridedOperands operands,
                                                         const __grid_constant__ TileProblem p,
                                                         const __grid_constant__ Guard guard,
                                                         const __grid_constant__ Counting counting) {
  if constexpr (Config::Core::available && MfmaWords<Type::f16>::available) {
    count_fp64_tiles<Config::threads>(guard, counting);
    const TilePosition<Config> at(p);
    if (guard(blockIdx.z, at.i, at.j)) matrix_floats<Config, KindA, KindB>(operands, p);
  }
}

template <bool kVectors>
libsgemm_status_t enqueue(const GemmDesc &desc, const Guard &guard, const Launch &launch, Error *error) {
  const TileProblem p = tile_problem<Config>(desc);
  return for_strided_chunks(desc, kMostProducts, [&](const StridedOperands &operands, int64_t products) {
    const Counting counting = fp64_counting(desc, products, launch);
    const dim3 grid(static_cast<unsigned>(p.tiles_m) * static_cast<unsigned>(p.tiles_n), 1,
                    static_cast<unsigned>(products));
    return with_fetch<Engine::registers, kVectors>(desc, [&](auto a, auto b) {
      constexpr Fetch kA = decltype(a)::value, kB = decltype(b)::value;
      return launch_kernel(splits_repair_fp64<kA, kB>, grid, dim3(Config::threads), 0, launch, error, operands, p,
                           guard, counting);
    });
  });
}

}  // namespace
}  // namespace libsgemm::hip

libsgemm_status_t libsgemm::gpu::launch_repair_fp64(const GemmDesc &desc, const Guard &guard, const Launch &launch,
                                                    Error *error) {
  return hip::Fp64Code<hip::Config>::vectors(desc) ? hip::enqueue<true>(desc, guard, launch, error)
                                                   : hip::enqueue<false>(desc, guard, launch, error);
}

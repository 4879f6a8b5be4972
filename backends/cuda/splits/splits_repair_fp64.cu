// Computes what splits_repair.cu does, in mode fp32_fast, with FP64 tensor cores and one rounding. Tiles and threads
// are those of sm90_dmma_64x64x32_multistage and sm80_dmma_64x64x32_multistage. Neither kernel has been measured.
#include "fp64/dmma_kernel.h"
#include "fp64/dmma_multistage.cuh"
#include "fp64/sm90_dmma_64x64x32.h"
#include "gpu/splits/fp64_count.h"
#include "gpu/tiles/tile_kernel.h"
#include "runtime/launch.h"

namespace libsgemm::cuda {
namespace {

struct Ampere : DmmaShape<64, 64, 32, 32, 32, M8n8k4> {
  static constexpr int stages = 2, blocks = 4;
};
using Hopper = Sm90Dmma64x64x32;

template <class Config, Fetch KindA, Fetch KindB>
__device__ __forceinline__ void repair(const StridedOperands &operands, const TileProblem &p, const Guard &guard,
                                       const Counting &counting) {
  if constexpr (Config::Instruction::exists) {
    count_fp64_tiles<Config::threads>(guard, counting);
    static_assert(kOuterPad % Config::tile_m == 0 && kOuterPad % Config::tile_n == 0, "tiles within the guard's");
    const TilePosition<Config> at(p);
    if (guard(blockIdx.z, at.i / (kOuterPad / Config::tile_m), at.j / (kOuterPad / Config::tile_n))) {
      dmma_multistage<Config, KindA, KindB>(operands, p);
    }
  }
}

template <Fetch KindA, Fetch KindB>
__global__ void __launch_bounds__(Hopper::threads, Hopper::blocks)
    splits_repair_fp64_sm90(const __grid_constant__ StridedOperands operands, const __grid_constant__ TileProblem p,
                            const __grid_constant__ Guard guard, const __grid_constant__ Counting counting) {
  repair<Hopper, KindA, KindB>(operands, p, guard, counting);
}

template <Fetch KindA, Fetch KindB>
__global__ void __launch_bounds__(Ampere::threads, Ampere::blocks)
    splits_repair_fp64_sm80(const __grid_constant__ StridedOperands operands, const __grid_constant__ TileProblem p,
                            const __grid_constant__ Guard guard, const __grid_constant__ Counting counting) {
  repair<Ampere, KindA, KindB>(operands, p, guard, counting);
}

template <class Config>
struct Kernels;
template <>
struct Kernels<Hopper> {
  template <Fetch KindA, Fetch KindB>
  static auto kernel() {
    return &splits_repair_fp64_sm90<KindA, KindB>;
  }
};
template <>
struct Kernels<Ampere> {
  template <Fetch KindA, Fetch KindB>
  static auto kernel() {
    return &splits_repair_fp64_sm80<KindA, KindB>;
  }
};

template <class Config, bool kVectors>
libsgemm_status_t enqueue(const GemmDesc &desc, const Guard &guard, const Launch &launch, Error *error) {
  const TileProblem p = tile_problem<Config>(desc);
  return for_strided_chunks(desc, kMostProducts, [&](const StridedOperands &operands, int64_t products) {
    const Counting counting = fp64_counting(desc, products, launch);
    const dim3 grid(static_cast<unsigned>(p.tiles_m) * static_cast<unsigned>(p.tiles_n), 1,
                    static_cast<unsigned>(products));
    return with_fetch<Engine::registers, kVectors>(desc, [&](auto a, auto b) {
      constexpr Fetch kA = decltype(a)::value, kB = decltype(b)::value;
      return launch_kernel(Kernels<Config>::template kernel<kA, kB>(), grid, dim3(Config::threads),
                           DmmaLayout<Config, kA, kB>::bytes, launch, error, operands, p, guard, counting);
    });
  });
}

template <class Config>
libsgemm_status_t enqueue(const GemmDesc &desc, const Guard &guard, const Launch &launch, Error *error) {
  return DmmaCode<Config>::vectors(desc) ? enqueue<Config, true>(desc, guard, launch, error)
                                         : enqueue<Config, false>(desc, guard, launch, error);
}

}  // namespace
}  // namespace libsgemm::cuda

libsgemm_status_t libsgemm::gpu::launch_repair_fp64(const GemmDesc &desc, const Guard &guard, const Launch &launch,
                                                    Error *error) {
  using namespace cuda;
  return device(launch.device).code_arch >= Hopper::Instruction::min_arch ? enqueue<Hopper>(desc, guard, launch, error)
                                                                          : enqueue<Ampere>(desc, guard, launch, error);
}

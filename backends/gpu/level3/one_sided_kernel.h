// Host side of the symm and trmm kernels that read A from its stored triangle.
#pragma once

#include <algorithm>

#include "gpu/tiles/tile_kernel.h"
#include "one_sided.h"
#include "structured_problem.h"
#include "trmm_copy.h"

namespace libsgemm::gpu::level3 {

// OneSidedCode defines DeviceCode (tile_kernel.h), the routine, and kernel<left, A, B>(), whose parameters are
// StridedOperands, with the structured matrix as A on either side, and a OneSidedProblem.
template <class OneSidedCode>
struct OneSidedTiles {
  using DeviceCode = typename OneSidedCode::DeviceCode;
  using Config = typename DeviceCode::Config;
  static constexpr bool triangular = OneSidedCode::routine == Routine::trmm;

  static bool supports(const GemmDesc &desc, int index) {
    if (desc.routine != OneSidedCode::routine || desc.batch == Batch::pointers || !DeviceCode::runs_on(index))
      return false;
    if (triangular && !copy_fits(desc)) return false;
    return tiles(desc) < INT_MAX / 16 && tiles(desc) <= static_cast<double>(most_blocks(Config::threads)) &&
           desc.k / Config::tile_k < INT_MAX - 1 && desc.k < INT_MAX;
  }

  static double cost(const GemmDesc &desc, int index) {
    const double tile = Config::tile_m, k = static_cast<double>(desc.k), batch = static_cast<double>(desc.batch_count);
    const GemmDesc gemm = as_gemm(triangular ? with_copy(desc, nullptr) : desc);
    const double depth = triangular ? std::min(k, 0.5 * (k + tile)) : k;
    const double seconds =
        gpu::tiles_seconds(model(index), DeviceCode::tiling(gemm, index), tiles(desc) * batch, depth);
    const double product = kLaunchSeconds + overlapped(seconds, memory_seconds(model(index), gemm_bytes(gemm)));
    return product + (triangular ? copy_seconds(desc, index) : 0);
  }

  static libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
    if constexpr (!triangular) return enqueue(desc, launch, error);
    const libsgemm_status_t status = launch_copy(desc, launch, error);
    return status == LIBSGEMM_SUCCESS ? enqueue(with_copy(desc, launch.workspace), launch, error) : status;
  }

 private:
  static double tiles(const GemmDesc &desc) {
    return static_cast<double>(ceil_div(desc.m, Config::tile_m)) *
           static_cast<double>(ceil_div(desc.n, Config::tile_n));
  }

  static libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
    const GemmDesc gemm = as_gemm(desc);
    const StructuredProblem structure = structured_problem(desc);
    const OneSidedProblem p = {gpu::tile_problem<Config>(gemm), structure.upper, structure.unit,
                               structure.a.depth == 1};
    const unsigned blocks = static_cast<unsigned>(p.product.tiles_m) * static_cast<unsigned>(p.product.tiles_n);
    const bool vectors = DeviceCode::vectors(gemm);
    return for_strided_chunks(desc, kMostProducts, [&](const StridedOperands &operands, int64_t count) {
      const dim3 grid(blocks, 1, static_cast<unsigned>(count));
      const auto run = [&](auto left, auto a, auto b) {
        constexpr bool kLeft = decltype(left)::value;
        constexpr Fetch kA = decltype(a)::value, kB = decltype(b)::value;
        constexpr Fetch kOther = kLeft ? kB : kA;
        if constexpr (kLeft == (kOther == Fetch::inner || kOther == Fetch::inner_x4)) {
          return launch_kernel(OneSidedCode::template kernel<kLeft, kA, kB>(), grid, dim3(Config::threads),
                               DeviceCode::template shared_bytes<kA, kB>(), launch, error, operands, p);
        } else {
          return LIBSGEMM_EXECUTION_FAILED;
        }
      };
      const auto on_side = [&](auto left) {
        const auto fetch = [&](auto a, auto b) { return run(left, a, b); };
        return vectors ? with_fetch<DeviceCode::engine, true>(gemm, fetch)
                       : with_fetch<DeviceCode::engine, false>(gemm, fetch);
      };
      return desc.side == LIBSGEMM_LEFT ? on_side(std::true_type()) : on_side(std::false_type());
    });
  }
};

template <class OneSidedCode>
Kernel one_sided_kernel(const char *name, libsgemm_math_mode_t mode) {
  using Tiles = OneSidedTiles<OneSidedCode>;
  return {name, mode, prepare_fixed<Tiles::supports, Tiles::cost, (Tiles::triangular ? copy_bytes : nullptr)>,
          Tiles::launch};
}

}  // namespace libsgemm::gpu::level3

// Host side of kernels that compute one triangle of C (triangle.h).
#pragma once

#include "gpu/tiles/tile_kernel.h"
#include "structured_problem.h"
#include "triangle.h"

namespace libsgemm::gpu {

// TriangleCode has DeviceCode (tile_kernel.h) with square tiles and operands of one type, and kernel<A, B>() with
// StridedOperands and a TriangleProblem. kElements: there are instances without vectors.
template <class TriangleCode, Type kType = Type::f32, bool kElements = true>
struct TriangleTiles {
  using DeviceCode = typename TriangleCode::DeviceCode;
  using Config = typename DeviceCode::Config;
  static_assert(Config::tile_m == Config::tile_n, "tiles on the diagonal are square");

  static bool supports(const GemmDesc &desc, int index) {
    if (!level3::wants_triangle(desc) || desc.type != kType || !DeviceCode::runs_on(index)) return false;
    if constexpr (!kElements) {
      if (!DeviceCode::vectors(level3::as_product(desc))) return false;
    }
    const double order = static_cast<double>(ceil_div(desc.n, Config::tile_n)), tiles = order * (order + 1) / 2;
    return tiles < INT_MAX / 16 && tiles <= static_cast<double>(most_blocks(Config::threads)) &&
           product_depth(desc) / Config::tile_k < INT_MAX - 2;
  }

  static double cost(const GemmDesc &desc, int index) {
    return gemm_seconds(model(index), desc, DeviceCode::tiling(level3::as_product(desc), index));
  }

  static TriangleProblem problem(const GemmDesc &desc) {
    TriangleProblem p = {};
    p.product = tile_problem<Config>(level3::as_product(desc));
    p.term_tiles = p.product.k_tiles;
    p.product.k_tiles *= traits_of(desc).terms();
    p.product.slice_tiles = p.product.k_tiles;
    p.upper = desc.uplo == LIBSGEMM_UPPER;
    return p;
  }

  template <typename Then>
  static libsgemm_status_t enqueue(const GemmDesc &desc, const TriangleProblem &p, const Launch &launch, Error *error,
                                   const Then &then) {
    const GemmDesc d = level3::as_product(desc);
    const auto tiles = static_cast<unsigned>(p.product.tiles_m);
    const unsigned slices = static_cast<unsigned>((p.product.k_tiles - 1) / p.product.slice_tiles + 1);
    return for_strided_chunks(d, kMostProducts, [&](const StridedOperands &operands, int64_t count) {
      const dim3 grid(tiles * (tiles + 1) / 2, slices, static_cast<unsigned>(count));
      const auto run = [&](auto a, auto b) {
        constexpr Fetch kA = decltype(a)::value, kB = decltype(b)::value;
        return launch_kernel(TriangleCode::template kernel<kA, kB>(), grid, dim3(Config::threads),
                             DeviceCode::template shared_bytes<kA, kB>(), launch, error, operands, p);
      };
      const auto run_any = [&] {
        if constexpr (DeviceCode::engine != Engine::scalar) {
          if (DeviceCode::vectors(d)) return with_fetch<DeviceCode::engine, true>(d, run);
        }
        if constexpr (kElements) {
          return with_fetch<DeviceCode::engine, false>(d, run);
        } else {
          return LIBSGEMM_UNAVAILABLE;  // supports() refuses it
        }
      };
      const libsgemm_status_t status = run_any();
      return status == LIBSGEMM_SUCCESS ? then(operands, count) : status;
    });
  }

  static libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
    return enqueue(desc, problem(desc), launch, error, [](auto &&...) { return LIBSGEMM_SUCCESS; });
  }
};

template <class TriangleCode>
Kernel triangle_kernel(const char *name) {
  using Tiles = TriangleTiles<TriangleCode>;
  return {name, LIBSGEMM_MATH_FP32, prepare_fixed<Tiles::supports, Tiles::cost>, Tiles::launch};
}

}  // namespace libsgemm::gpu

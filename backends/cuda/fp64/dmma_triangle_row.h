// The host's side of dmma_triangle.cuh: what the rows of syrk, syr2k and gemmtr have in common.
#pragma once

#include "dmma_row.h"
#include "dmma_triangle.h"
#include "level3/level3.h"

namespace libsgemm::cuda {

// Enqueues C(i) = alpha * (sum of the slices of product i, which are doubles) + beta * C(i) on the triangle, rounded
// once.
libsgemm_status_t launch_split_k_sum_fp64_triangle(const TriangleProblem &p, int slices,
                                                   const StridedOperands &operands, int64_t count, const Launch &launch,
                                                   Error *error);

// The product op(A) op(B) whose triangle is wanted; of syr2k the first of the two, which reads as the second does.
inline GemmDesc as_product(const GemmDesc &desc) {
  GemmDesc d = level3::with_b(desc);
  if (traits_of(desc).b != RoutineTraits::free) {
    d.transb = d.transa == LIBSGEMM_NO_TRANS ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  }
  return d;
}

// Of a row of dmma_row.h, which computes tiles of the same Config: TriangleRow has kernel<A, B>() as well.
template <class TriangleRow>
struct DmmaTriangle {
  using Row = typename TriangleRow::Row;
  using Config = typename Row::Config;

  static bool supports(const GemmDesc &desc, int index) {
    if (!traits_of(desc).triangle_of_c || desc.type != Type::f32 || desc.batch == Batch::pointers ||
        !Row::runs_on(index)) {
      return false;
    }
    return product_tiles(desc, tiling(desc, index)) < INT_MAX / 16 &&
           product_depth(desc) / Config::tile_k < INT_MAX - 2;
  }

  static Tiling tiling(const GemmDesc &desc, int index) {
    return slow_or_not(Row::tiling(as_product(desc), index), index);
  }
  static Tiling split_tiling(const GemmDesc &desc, int index) {
    return slow_or_not(Row::tiling(as_product(desc), index, Config::split_fitted), index);
  }

  static double cost(const GemmDesc &desc, int index) { return gemm_seconds(model(index), desc, tiling(desc, index)); }
  static Split split(const GemmDesc &desc, int index) {
    return best_split(desc, split_tiling(desc, index), Config::tile_k, index);
  }

  static libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
    return enqueue(desc, problem(desc), launch, error, [](auto &&...) { return LIBSGEMM_SUCCESS; });
  }
  static libsgemm_status_t launch_split(const GemmDesc &desc, const Launch &launch, Error *error) {
    const Split split = DmmaTriangle::split(desc, launch.device);
    TriangleProblem p = problem(desc);
    p.product.slice_tiles = split.slice_tiles;
    p.product.partial = static_cast<float *>(launch.workspace);
    p.product.partial_ld = (desc.m + 3) / 4 * 4;
    return enqueue(desc, p, launch, error, [&](const StridedOperands &operands, int64_t count) {
      return launch_split_k_sum_fp64_triangle(p, split.slices, operands, count, launch, error);
    });
  }

 private:
  // The latency was measured where the tensor cores have the full rate, and is small beside what they take elsewhere:
  // there small calls are not to run in FP64 for its sake.
  static Tiling slow_or_not(Tiling tiling, int index) {
    const Device &d = device(index);
    if (d.fp64_tensor_per_clock < d.fma_per_clock) tiling.figures.latency += kTileLatency;
    return tiling;
  }

  static TriangleProblem problem(const GemmDesc &desc) {
    TriangleProblem p = {};
    p.product = tile_problem<Config>(as_product(desc));
    p.term_tiles = p.product.k_tiles;
    p.product.k_tiles *= traits_of(desc).terms();
    p.product.slice_tiles = p.product.k_tiles;
    p.upper = desc.uplo == LIBSGEMM_UPPER;
    return p;
  }

  // Enqueues the kernel for a chunk of the products, and then(its operands, their number).
  template <typename Then>
  static libsgemm_status_t enqueue(const GemmDesc &desc, const TriangleProblem &p, const Launch &launch, Error *error,
                                   const Then &then) {
    const GemmDesc d = as_product(desc);
    const auto tiles = static_cast<unsigned>(p.product.tiles_m);
    const unsigned slices = static_cast<unsigned>((p.product.k_tiles - 1) / p.product.slice_tiles + 1);
    return for_strided_chunks(d, kMostProducts, [&](const StridedOperands &operands, int64_t count) {
      const dim3 grid(tiles * (tiles + 1) / 2, slices, static_cast<unsigned>(count));
      const auto run = [&](auto a, auto b) {
        constexpr Fetch kA = decltype(a)::value, kB = decltype(b)::value;
        return launch_kernel(TriangleRow::template kernel<kA, kB>(), grid, dim3(Config::threads),
                             Row::template shared_bytes<kA, kB>(), launch, error, operands, p);
      };
      const libsgemm_status_t status =
          Row::vectors(d) ? with_fetch<Row::engine, true>(d, run) : with_fetch<Row::engine, false>(d, run);
      return status == LIBSGEMM_SUCCESS ? then(operands, count) : status;
    });
  }
};

template <class TriangleRow>
Kernel dmma_triangle_kernel(const char *name) {
  using Triangle = DmmaTriangle<TriangleRow>;
  return {name, LIBSGEMM_MATH_FP64, Triangle::supports, Triangle::cost, nullptr, Triangle::launch};
}

// The same kernel with k in slices.
template <class TriangleRow>
Kernel dmma_triangle_split_kernel(const char *name) {
  using Triangle = DmmaTriangle<TriangleRow>;
  const auto supports = [](const GemmDesc &desc, int index) {
    return Triangle::supports(desc, index) && desc.batch_count <= kMostProducts &&
           Triangle::split(desc, index).slices > 1;
  };
  const auto cost = [](const GemmDesc &desc, int index) { return Triangle::split(desc, index).seconds; };
  const auto workspace = [](const GemmDesc &desc, int index) {
    return split_bytes(desc, Triangle::split(desc, index).slices, sizeof(double));
  };
  return {name, LIBSGEMM_MATH_FP64, supports, cost, workspace, Triangle::launch_split};
}

}  // namespace libsgemm::cuda

// Defines the row `NAME` of the file's Config, whose products are those of the Row that LIBSGEMM_DMMA_ROW has defined:
// its kernel and `Kernel NAME()`.
#define LIBSGEMM_DMMA_TRIANGLE_ROW(NAME)                                                                  \
  template <Fetch KindA, Fetch KindB>                                                                     \
  __global__ void __launch_bounds__(Config::threads, Config::blocks)                                      \
      NAME(const __grid_constant__ StridedOperands operands, const __grid_constant__ TriangleProblem p) { \
    if constexpr (Config::Instruction::exists) dmma_triangle<Config, KindA, KindB>(operands, p);          \
  }                                                                                                       \
  namespace {                                                                                             \
  struct TriangleRow {                                                                                    \
    using Row = ::libsgemm::cuda::Row;                                                                    \
    template <Fetch KindA, Fetch KindB>                                                                   \
    static auto kernel() {                                                                                \
      return &NAME<KindA, KindB>;                                                                         \
    }                                                                                                     \
  };                                                                                                      \
  }                                                                                                       \
  Kernel NAME() { return dmma_triangle_kernel<TriangleRow>(#NAME); }

// Host side of dmma_triangle.cuh.
#pragma once

#include "dmma_row.h"
#include "gpu/level3/triangle_row.h"

namespace libsgemm::cuda {

using level3::as_product;

// launch_split_k_sum_fp64() for a triangle.
libsgemm_status_t launch_split_k_sum_fp64_triangle(const TriangleProblem &p, int slices,
                                                   const StridedOperands &operands, int64_t count, const Launch &launch,
                                                   Error *error);

template <class TriangleRow>
struct DmmaTriangle : TriangleTiles<TriangleRow> {
  using Tiles = TriangleTiles<TriangleRow>;
  using typename Tiles::Config;
  using typename Tiles::Row;

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

  static libsgemm_status_t launch_split(const GemmDesc &desc, const Launch &launch, Error *error) {
    const Split split = DmmaTriangle::split(desc, launch.device);
    TriangleProblem p = Tiles::problem(desc);
    p.product.slice_tiles = split.slice_tiles;
    p.product.partial = static_cast<float *>(launch.workspace);
    p.product.partial_ld = (desc.m + 3) / 4 * 4;
    return Tiles::enqueue(desc, p, launch, error, [&](const StridedOperands &operands, int64_t count) {
      return launch_split_k_sum_fp64_triangle(p, split.slices, operands, count, launch, error);
    });
  }

 private:
  // The latency was fitted to FP64 tensor cores of the full rate; with it slower ones would be chosen for small calls.
  static Tiling slow_or_not(Tiling tiling, int index) {
    const Device &d = device(index);
    if (d.fp64_tensor_per_clock < d.fma_per_clock) tiling.figures.latency += kTileLatency;
    return tiling;
  }
};

template <class TriangleRow>
Kernel dmma_triangle_kernel(const char *name) {
  using Triangle = DmmaTriangle<TriangleRow>;
  return {name, LIBSGEMM_MATH_FP64, Triangle::supports, Triangle::cost, nullptr, Triangle::launch};
}

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

// The file must already have a Row, from LIBSGEMM_DMMA_ROW.
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

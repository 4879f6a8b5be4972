#include "structured_problem.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace libsgemm::gpu::level3 {
namespace {

Walk walk(int64_t ld, bool outer_contiguous) { return outer_contiguous ? Walk{1, ld} : Walk{ld, 1}; }

}  // namespace

StructuredProblem structured_problem(const GemmDesc &d) {
  const bool left = d.side == LIBSGEMM_LEFT, plain_a = d.transa == LIBSGEMM_NO_TRANS;
  StructuredProblem p = {};
  p.m = d.m;
  p.n = d.n;
  p.k = d.k;
  p.c_row = 1;
  p.c_col = d.ldc;
  p.alpha = d.alpha;
  p.beta = d.beta;
  const RoutineTraits &r = traits_of(d);
  p.terms = r.terms();
  p.part = stored_c(d).part;
  p.a = walk(d.lda, plain_a);
  if (r.one_sided()) {
    const bool plain = r.a == RoutineTraits::symmetric || left == plain_a;
    p.a = walk(d.lda, plain);
    p.upper = (d.uplo == LIBSGEMM_UPPER) == plain;
    p.unit = d.diag == LIBSGEMM_UNIT;
    p.b = walk(d.ldb, !left);
    if (!left) {
      std::swap(p.m, p.n);
      std::swap(p.c_row, p.c_col);
    }
  } else if (r.b == RoutineTraits::free) {
    p.b = walk(d.ldb, d.transb != LIBSGEMM_NO_TRANS);
  } else {
    p.b = r.has_b() ? walk(d.ldb, plain_a) : p.a;
  }
  return p;
}

int64_t tile_count(const StructuredProblem &p, int tile_m, int tile_n) {
  const int64_t rows = (p.m + tile_m - 1) / tile_m, cols = (p.n + tile_n - 1) / tile_n;
  return p.part == Stored::all ? rows * cols : rows * (rows + 1) / 2;
}

GemmDesc with_b(const GemmDesc &desc) {
  GemmDesc d = desc;
  if (traits_of(d).b == RoutineTraits::is_a) {
    d.b = d.a;
    d.ldb = d.lda;
    d.stride_b = d.stride_a;
    d.b_array = d.a_array;
  }
  return d;
}

GemmDesc as_product(const GemmDesc &desc) {
  GemmDesc d = with_b(desc);
  if (traits_of(desc).b != RoutineTraits::free) {
    d.transb = d.transa == LIBSGEMM_NO_TRANS ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  }
  return d;
}

GemmDesc as_gemm(const GemmDesc &desc) {
  GemmDesc d = desc;
  const bool left = desc.side == LIBSGEMM_LEFT, outer = structured_problem(desc).a.outer == 1;
  d.routine = Routine::gemm;
  d.transa = left && !outer ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  d.transb = !left && outer ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  if (!left) {
    std::swap(d.a, d.b);
    std::swap(d.lda, d.ldb);
    std::swap(d.stride_a, d.stride_b);
  }
  return d;
}

double tiles_seconds(const GemmDesc &desc, const DeviceModel &device, const Tiling &tiling) {
  const StructuredProblem p = structured_problem(desc);
  const double size = static_cast<double>(size_of(desc.type)), batch = static_cast<double>(desc.batch_count);
  const double m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
  const double tiles = static_cast<double>(tile_count(p, tiling.tile_m, tiling.tile_n)) * batch;
  // On average a tile needs half of the triangle's depth.
  const double depth = desc.routine == Routine::trmm ? 0.5 * (k + tiling.tile_m) : k * p.terms;
  const double bytes = batch * ((m * k + k * n) * size + m * n * (p.beta == 0.0f ? 4.0 : 8.0));
  const double compute = gpu::tiles_seconds(device, tiling, tiles, depth);
  return kLaunchSeconds + std::max(compute, memory_seconds(device, bytes));
}

PanelProblem panel_problem(const GemmDesc &d) {
  const StructuredProblem tile = structured_problem(d);
  return {tile.m, tile.n, tile.a, {tile.c_col, tile.c_row}, d.alpha, tile.upper, tile.unit};
}

double panel_seconds(const GemmDesc &desc, int index) {
  const DeviceModel &device = model(index);
  constexpr Tiling kTiling = {64, 32, 128, 3, {0.45}};
  // Rows of tiles depend on each other, and wait for memory or substitutions.
  const double row_seconds = desc.routine == Routine::trsm ? 3.5e-6 : 1.5e-6;
  const PanelProblem p = panel_problem(desc);
  const double order = static_cast<double>(p.order), count = static_cast<double>(p.count);
  const double batch = static_cast<double>(desc.batch_count);
  const double panels = batch * std::ceil(count / kTiling.tile_n), rows = std::ceil(order / kTiling.tile_m);
  const double waves = std::ceil(panels / (static_cast<double>(device.compute_units) * kTiling.blocks));
  const double depth = 0.5 * rows * (order + kTiling.tile_m);
  const double bytes = 4 * batch * (0.5 * order * order + 2 * order * count);
  const double compute = gpu::tiles_seconds(device, kTiling, panels, depth) + waves * rows * row_seconds;
  return kLaunchSeconds + std::max(compute, memory_seconds(device, bytes));
}

}  // namespace libsgemm::gpu::level3

#include <algorithm>

#include "tile_plan.h"

namespace libsgemm {
namespace {

constexpr size_t kAlignment = 256;  // alignment of blocks on the device

void sort_units(Order order, std::vector<Unit> *units) {
  const auto frontier = [](const Unit &x, const Unit &y) {
    const int64_t fx = std::max(x.i, x.j), fy = std::max(y.i, y.j);
    if (fx != fy) return fx < fy;
    const bool left_x = x.i > x.j, left_y = y.i > y.j;  // the new row panel's tiles before the new column's
    return left_x != left_y ? left_x : x.i != y.i ? x.i < y.i : x.j < y.j;
  };
  if (order == Order::frontier) std::sort(units->begin(), units->end(), frontier);
}

}  // namespace

std::vector<Unit> make_units(const GemmDesc &d, const TilePlan &p, int part, int parts) {
  const int64_t panels = p.col_panels(), first = panels * part / parts, last = panels * (part + 1) / parts;
  std::vector<Unit> tiles;
  const Stored::Part part_of_c = stored_c(d).part;
  const bool by_cols = p.order == Order::by_cols;
  const int64_t outer = by_cols ? last - first : p.row_panels(), inner = by_cols ? p.row_panels() : last - first;
  for (int64_t x = 0; x < outer; ++x) {
    for (int64_t y = 0; y < inner; ++y) {
      const int64_t serpentine = x % 2 == 0 ? y : inner - 1 - y;
      const int64_t i = by_cols ? serpentine : x, j = first + (by_cols ? x : serpentine);
      if ((part_of_c == Stored::lower && i < j) || (part_of_c == Stored::upper && i > j)) continue;
      // Successive tiles are neighbours and traverse k in opposite directions: the second starts with the first's last
      // block of k. The direction depends only on the tile's position.
      tiles.push_back({0, 1, i, j, (i + j) % 2 == 1});
    }
  }
  for (Unit &t : tiles) t.j -= first;
  sort_units(p.order, &tiles);
  for (Unit &t : tiles) t.j += first;
  if (d.batch_count <= 1) return tiles;
  std::vector<Unit> units;
  for (int64_t item = 0; item < d.batch_count; item += p.group) {
    for (const Unit &t : tiles) units.push_back({item, std::min(p.group, d.batch_count - item), t.i, t.j, t.back});
  }
  return units;
}

namespace {

struct Range {
  int64_t first, length;
};

Range part(const std::vector<int64_t> &bounds, int64_t i) {
  const auto at = static_cast<size_t>(i);
  return {bounds[at], bounds[at + 1] - bounds[at]};
}

Block block(const Unit &unit, Range rows, Range cols, bool transposed) {
  if (transposed) std::swap(rows, cols);
  return {unit.item, unit.items, rows.first, rows.length, cols.first, cols.length};
}

}  // namespace

size_t device_bytes(const Block &b, size_t size) {
  const auto bytes =
      static_cast<size_t>(b.items) * static_cast<size_t>(device_ld(b.rows, size)) * static_cast<size_t>(b.cols) * size;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

int64_t launches_per_step(const GemmDesc &d, const Unit &unit) { return unit.i != unit.j ? traits_of(d).terms() : 1; }

bool rounds_between(const GemmDesc &d, const TilePlan &p) {
  return p.steps() > 1 || (traits_of(d).terms() > 1 && p.tiles() > 1);
}

Factors factors_of(const GemmDesc &d, const TilePlan &p, const Unit &unit, int64_t launch) {
  const int64_t per_step = launches_per_step(d, unit), step = launch / per_step;
  const Range rows = part(p.rows, unit.i), cols = part(p.cols, unit.j), depth = part(p.depth, step);
  const bool transposed_a = d.transa != LIBSGEMM_NO_TRANS, transposed_b = d.transb != LIBSGEMM_NO_TRANS;
  const bool swapped = launch % per_step == 1;
  const RoutineTraits &r = traits_of(d);
  const Factor none = {};
  // A shared operand is copied once.
  const auto of_batch = [&d](Block b, int64_t stride) {
    if (d.batch == Batch::strided && stride == 0) b.item = 0, b.items = 1;
    return b;
  };
  if (r.one_sided()) {
    const Stored a = stored_a(d);
    return {{false, of_batch({unit.item, unit.items, 0, a.rows, 0, a.cols}, d.stride_a)},
            r.has_b() ? Factor{true, of_batch(block_of_c(p, unit), d.stride_b)} : none,
            step};
  }
  const Block a = of_batch(block(unit, rows, depth, transposed_a), d.stride_a);
  if (r.b == RoutineTraits::free) {
    return {{false, a}, {true, of_batch(block(unit, depth, cols, transposed_b), d.stride_b)}, step};
  }
  const Block other = of_batch(block(unit, cols, depth, transposed_a), r.has_b() ? d.stride_b : d.stride_a);
  if (r.has_b()) return {{swapped, a}, {!swapped, other}, step};
  return {{false, a}, unit.i == unit.j ? none : Factor{false, other}, step};
}

Block block_of_c(const TilePlan &p, const Unit &unit) {
  return block(unit, part(p.rows, unit.i), part(p.cols, unit.j), false);
}

GemmDesc device_desc(const GemmDesc &desc, const TilePlan &p, const Unit &unit, const Factors &f) {
  const Block a = f.first.block, b = f.second.block, c = block_of_c(p, unit);
  const size_t size = size_of(desc.type);
  GemmDesc d = desc;
  if (has_triangle(desc) && unit.i != unit.j) {
    d.routine = Routine::gemm;
    // Tiles off the diagonal use a mode of those on it, which have kernels only for FP32 and FP64.
    if (d.math_mode != LIBSGEMM_MATH_FP64) d.math_mode = LIBSGEMM_MATH_FP32;
    if (traits_of(desc).b != RoutineTraits::free) {
      d.transb = desc.transa == LIBSGEMM_NO_TRANS ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
    }
  }
  d.m = c.rows;
  d.n = c.cols;
  if (!traits_of(desc).one_sided()) d.k = part(p.depth, f.step).length;
  d.lda = device_ld(a.rows, size);
  d.ldb = device_ld(b.rows, size);
  d.ldc = device_ld(c.rows, sizeof(float));
  d.batch = c.items > 1 ? Batch::strided : Batch::none;
  d.batch_count = c.items;
  d.stride_a = a.items > 1 ? d.lda * a.cols : 0;
  d.stride_b = b.items > 1 ? d.ldb * b.cols : 0;
  d.stride_c = d.ldc * c.cols;
  d.a = d.b = nullptr;
  d.c = nullptr;
  d.a_array = d.b_array = nullptr;
  d.c_array = nullptr;
  return d;
}

}  // namespace libsgemm

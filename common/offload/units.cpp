// Units of a plan in their order, and the blocks that they need.
#include <algorithm>

#include "plan.h"

namespace libsgemm {
namespace {

constexpr size_t kAlignment = 256;  // of blocks on the device

void sort_units(Order order, std::vector<Unit> *units) {
  const auto frontier = [](const Unit &x, const Unit &y) {
    const int64_t fx = std::max(x.i, x.j), fy = std::max(y.i, y.j);
    if (fx != fy) return fx < fy;
    const bool left_x = x.i > x.j, left_y = y.i > y.j;  // those of the new row panel before those of the new column
    return left_x != left_y ? left_x : x.i != y.i ? x.i < y.i : x.j < y.j;
  };
  if (order == Order::frontier) std::sort(units->begin(), units->end(), frontier);
}

}  // namespace

std::vector<Unit> make_units(const GemmDesc &d, const Plan &p, int part, int parts) {
  const int64_t panels = p.col_panels(), first = panels * part / parts, last = panels * (part + 1) / parts;
  std::vector<Unit> tiles;
  const bool by_cols = p.order == Order::by_cols;
  const int64_t outer = by_cols ? last - first : p.row_panels(), inner = by_cols ? p.row_panels() : last - first;
  for (int64_t x = 0; x < outer; ++x) {
    for (int64_t y = 0; y < inner; ++y) {
      const int64_t turned = x % 2 == 0 ? y : inner - 1 - y;
      const int64_t i = by_cols ? turned : x, j = first + (by_cols ? x : turned);
      // Neighbours, which follow each other, meet at the block of k that they share. The order of a tile's sum depends
      // on its place alone, not on who computes it.
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

Block block(const Unit &unit, Range rows, Range cols, bool turned) {
  if (turned) std::swap(rows, cols);
  return {unit.item, unit.items, rows.first, rows.length, cols.first, cols.length};
}

}  // namespace

size_t device_bytes(const Block &b, size_t size) {
  const auto bytes =
      static_cast<size_t>(b.items) * static_cast<size_t>(device_ld(b.rows, size)) * static_cast<size_t>(b.cols) * size;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

Block block_of_a(const GemmDesc &d, const Plan &p, const Unit &unit, int64_t step) {
  const bool turned = d.transa != LIBSGEMM_NO_TRANS;
  if (d.routine == Routine::gemm) {
    Block b = block(unit, part(p.rows, unit.i), part(p.depth, step), turned);
    if (d.batch == Batch::strided && d.stride_a == 0) b.item = 0, b.items = 1;
    return b;
  }
  const Stored a = stored_a(d);
  return {unit.item, unit.items, 0, a.rows, 0, a.cols};
}

Block block_of_b(const GemmDesc &d, const Plan &p, const Unit &unit, int64_t step) {
  const bool turned = d.transb != LIBSGEMM_NO_TRANS;
  if (d.routine == Routine::gemm) {
    Block b = block(unit, part(p.depth, step), part(p.cols, unit.j), turned);
    if (d.batch == Batch::strided && d.stride_b == 0) b.item = 0, b.items = 1;
    return b;
  }
  if (d.routine == Routine::symm) return block_of_c(p, unit);
  if (d.b == nullptr) return {};
  const Stored b = stored_b(d);
  return {unit.item, unit.items, 0, b.rows, 0, b.cols};
}

Block block_of_c(const Plan &p, const Unit &unit) {
  return block(unit, part(p.rows, unit.i), part(p.cols, unit.j), false);
}

GemmDesc device_desc(const GemmDesc &desc, const Block &a, const Block &b, const Block &c, int64_t depth) {
  const size_t size = size_of(desc.type);
  GemmDesc d = desc;
  d.m = c.rows;
  d.n = c.cols;
  if (d.routine == Routine::gemm) d.k = depth;
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

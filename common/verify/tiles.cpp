// Checks all elements in tiles of 64 x 64, each summed over all of k. Products of FP32 numbers are exact in FP64.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <vector>

#include "error_contract.h"
#include "matrix/scratch.h"
#include "process/parallel.h"

namespace libsgemm {
namespace {

constexpr int64_t kTile = 64, kDepth = 256;

struct Tile {
  int64_t i, j, rows, columns;
  double value[kTile * kTile], magnitude[kTile * kTile];  // columns kTile apart
};

struct Packed {
  alignas(64) double x[kDepth * kTile], y[kDepth * kTile];  // term by term
};

struct Work {
  Packed packed;
  Tile tile;
};

typedef double Double2 __attribute__((vector_size(16), may_alias));
typedef double Double4 __attribute__((vector_size(32), may_alias));

template <typename V, typename Bits>
__attribute__((always_inline)) inline void add_two_columns(const double *x, const double *y, int64_t depth,
                                                           double *value, double *magnitude) {
  constexpr int kLanes = sizeof(V) / sizeof(double), kVectors = 2;
  const Bits mask = Bits{} + 0x7fffffffffffffff;
  for (int64_t row = 0; row < kTile; row += kVectors * kLanes) {
    V v[2][kVectors] = {}, s[2][kVectors] = {};
    for (int64_t l = 0; l < depth; ++l) {
      const V *rows = reinterpret_cast<const V *>(x + l * kTile + row);
      for (int j = 0; j < 2; ++j) {
        for (int part = 0; part < kVectors; ++part) {
          const V term = rows[part] * y[l * kTile + j];
          v[j][part] += term;
          s[j][part] += reinterpret_cast<V>(reinterpret_cast<Bits>(term) & mask);
        }
      }
    }
    for (int j = 0; j < 2; ++j) {
      for (int part = 0; part < kVectors; ++part) {
        double *to = value + j * kTile + row + part * kLanes, *size = magnitude + j * kTile + row + part * kLanes;
        for (int lane = 0; lane < kLanes; ++lane) to[lane] += v[j][part][lane], size[lane] += s[j][part][lane];
      }
    }
  }
}

typedef int64_t Bits2 __attribute__((vector_size(16), may_alias));
typedef int64_t Bits4 __attribute__((vector_size(32), may_alias));

void add_columns(const Packed &packed, int64_t depth, Tile *t) {
  for (int64_t j = 0; j < t->columns; j += 2) {
    add_two_columns<Double2, Bits2>(packed.x, packed.y + j, depth, t->value + j * kTile, t->magnitude + j * kTile);
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void add_columns_avx2(const Packed &packed, int64_t depth, Tile *t) {
  for (int64_t j = 0; j < t->columns; j += 2) {
    add_two_columns<Double4, Bits4>(packed.x, packed.y + j, depth, t->value + j * kTile, t->magnitude + j * kTile);
  }
}
#endif

using AddColumns = void (*)(const Packed &, int64_t, Tile *);

AddColumns best_add_columns() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return add_columns_avx2;
#endif
  return add_columns;
}

// Packs columns [first, first + count) of terms [l, l + depth); the view's rows are terms. The rest of the tile is
// zero.
void pack(const View &view, int64_t l, int64_t depth, int64_t first, int64_t count, double *to) {
  for (int64_t term = 0; term < depth; ++term) std::fill(to + term * kTile + count, to + (term + 1) * kTile, 0.0);
  if (view.row_step > view.col_step) {
    for (int64_t term = 0; term < depth; ++term) {
      for (int64_t i = 0; i < count; ++i) to[term * kTile + i] = static_cast<double>(view.at(l + term, first + i));
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t term = 0; term < depth; ++term) {
      to[term * kTile + i] = static_cast<double>(view.at(l + term, first + i));
    }
  }
}

void add_product(const Product &p, Packed *packed, Tile *t) {
  static const AddColumns add = best_add_columns();
  const View x = p.x.transposed();
  for (int64_t l = 0; l < p.k; l += kDepth) {
    const int64_t depth = std::min(kDepth, p.k - l);
    pack(x, l, depth, t->i, t->rows, packed->x);
    pack(p.y, l, depth, t->j, t->columns, packed->y);
    add(*packed, depth, t);
  }
}

void add_triangular_product(const Product &p, Tile *t) {
  for (int64_t j = 0; j < t->columns; ++j) {
    for (int64_t i = 0; i < t->rows; ++i) {
      const Span span = p.span(t->i + i, t->j + j);
      double value = 0, magnitude = 0;
      for (int64_t l = span.first; l < span.last; ++l) {
        const double term = static_cast<double>(p.x.at(t->i + i, l)) * static_cast<double>(p.y.at(l, t->j + j));
        value += term;
        magnitude += std::fabs(term);
      }
      t->value[i + j * kTile] += value;
      t->magnitude[i + j * kTile] += magnitude;
    }
  }
}

// Empty unless the mode splits inputs.
struct AllParts {
  std::vector<Parts> x, y;
};

AllParts all_parts(const ErrorContract &c) {
  AllParts all;
  if (!mode_traits(c.mode).loses_bits()) return all;
  const Product &p = c.products.term[0];
  for (int64_t i = 0; i < p.m; ++i) all.x.push_back(parts(p.x, i, p.k, c.mode));
  for (int64_t j = 0; j < p.n; ++j) all.y.push_back(parts(p.y.transposed(), j, p.k, c.mode));
  return all;
}

double worst_of_tile(const ErrorContract &c, const AllParts &all, Packed *packed, Tile *t) {
  std::memset(t->value, 0, sizeof t->value);
  std::memset(t->magnitude, 0, sizeof t->magnitude);
  for (int term = 0; term < c.products.count; ++term) {
    const Product &p = c.products.term[term];
    const bool triangular = p.x.structure == View::triangular || p.y.structure == View::triangular;
    triangular ? add_triangular_product(p, t) : add_product(p, packed, t);
  }
  double worst = 0;
  for (int64_t column = 0; column < t->columns; ++column) {
    const int64_t j = t->j + column;
    bool judged = false;
    const int64_t first = std::max(t->i, c.products.out.first_row(j));
    const int64_t last = std::min(t->i + t->rows, c.products.out.last_row(j, c.products.term[0].m));
    for (int64_t i = first; i < last; ++i) {
      const auto at = static_cast<size_t>(i - t->i + column * kTile);
      double lost = 0;
      if (!all.x.empty()) {
        const Parts &x = all.x[static_cast<size_t>(i)], &y = all.y[static_cast<size_t>(j)];
        lost = lost_by(x, y);
      }
      worst = std::max(worst, element_ratio(c, i, j, t->value[at], t->magnitude[at], lost, &judged));
    }
  }
  return worst;
}

}  // namespace

double worst_of_all(const ErrorContract &c) {
  const int64_t m = c.products.term[0].m, n = c.products.term[0].n;
  const int64_t down = (m - 1) / kTile + 1, across = (n - 1) / kTile + 1;
  const double terms = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(c.products.term[0].k);
  const AllParts all = all_parts(c);
  std::vector<double> worst(static_cast<size_t>(down * across));
  in_parallel(down * across, terms, [&](int64_t first, int64_t last) {
    float *memory = thread_scratch(sizeof(Work) / sizeof(float));
    if (memory == nullptr) throw std::bad_alloc();
    auto *work = new (memory) Work;
    Tile *tile = &work->tile;
    for (int64_t at = first; at < last; ++at) {
      tile->i = at % down * kTile;
      tile->j = at / down * kTile;
      tile->rows = std::min(kTile, m - tile->i);
      tile->columns = std::min(kTile, n - tile->j);
      const Output &out = c.products.out;
      if (out.first_row(tile->j) >= tile->i + tile->rows) continue;
      if (out.last_row(tile->j + tile->columns - 1, m) <= tile->i) continue;
      worst[static_cast<size_t>(at)] = worst_of_tile(c, all, &work->packed, tile);
    }
  });
  return *std::max_element(worst.begin(), worst.end());
}

}  // namespace libsgemm

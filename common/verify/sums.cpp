// The checksum (checksum.h) in host memory.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "contract/checksum.h"
#include "error_contract.h"
#include "process/parallel.h"

namespace libsgemm {
namespace {

struct Weights {
  const double *of_value, *of_size;  // weights of columns; of_size NULL: squares are summed
};

double finite_or_zero(double x) { return checksum_finite(x) ? x : 0; }

// Per row: sums of weighted elements, of weighted magnitudes, of magnitudes. With squares: sum of weighted finite
// elements, sum of their squares, number of weighted elements that are not finite.
struct RowSums {
  std::vector<double> value, size, plain;
  explicit RowSums(int64_t rows)
      : value(static_cast<size_t>(rows)), size(static_cast<size_t>(rows)), plain(static_cast<size_t>(rows)) {}
};

Span rows_of(const View &x, int64_t j, int64_t first, int64_t last) {
  if (x.structure != View::triangular) return {first, last};
  return x.upper ? Span{first, std::min(last, j + 1)} : Span{std::max(first, j), last};
}

template <bool SQUARES>
inline void add_element(double x, double w, double g, double *value, double *size, double *plain) {
  if (SQUARES) {
    const double kept = finite_or_zero(x);
    *value += w * kept;
    *size += kept * kept;
    *plain += checksum_finite(x) ? 0 : std::fabs(w);
  } else {
    *value += w * x;
    *size += g * std::fabs(x);
    *plain += std::fabs(x);
  }
}

template <bool SQUARES, typename At>
inline void add_column(const At &at, int64_t count, double w, double g, double *value, double *size, double *plain) {
  for (int64_t i = 0; i < count; ++i) {
    add_element<SQUARES>(static_cast<double>(at(i)), w, g, value + i, size + i, plain + i);
  }
}

// In lanes: no addition waits for the one before.
template <bool SQUARES, typename At>
inline void add_row(const At &at, int64_t count, const double *w, const double *g, double *value, double *size,
                    double *plain) {
  constexpr int kLanes = 4;
  double v[kLanes] = {}, s[kLanes] = {}, p[kLanes] = {};
  const auto add = [&](int lane, int64_t l) {
    add_element<SQUARES>(static_cast<double>(at(l)), w[l], SQUARES ? 0 : g[l], v + lane, s + lane, p + lane);
  };
  int64_t l = 0;
  for (; l + kLanes <= count; l += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) add(lane, l + lane);
  }
  for (; l < count; ++l) add(0, l);
  *value += (v[0] + v[1]) + (v[2] + v[3]);
  *size += (s[0] + s[1]) + (s[2] + s[3]);
  *plain += (p[0] + p[1]) + (p[2] + p[3]);
}

template <bool SQUARES>
void add_rows(const View &x, int64_t first, int64_t last, int64_t columns, const Weights &by, RowSums *sums) {
  double *value = sums->value.data(), *size = sums->size.data(), *plain = sums->plain.data();
  const bool floats = x.plain();
  const auto *data = static_cast<const float *>(x.data);
  if (x.row_step <= x.col_step) {
    for (int64_t j = 0; j < columns; ++j) {
      const Span rows = rows_of(x, j, first, last);
      const int64_t i = rows.first, count = rows.last - rows.first;
      const double w = by.of_value[j], g = SQUARES ? 0 : by.of_size[j];
      if (floats && x.row_step == 1) {
        const float *column = data + i + j * x.col_step;
        add_column<SQUARES>([=](int64_t r) { return column[r]; }, count, w, g, value + i, size + i, plain + i);
      } else {
        add_column<SQUARES>([&](int64_t r) { return x.at(i + r, j); }, count, w, g, value + i, size + i, plain + i);
      }
    }
    return;
  }
  const View transposed = x.transposed();
  for (int64_t i = first; i < last; ++i) {
    const Span cols = rows_of(transposed, i, 0, columns);
    const int64_t l = cols.first, count = cols.last - cols.first;
    const double *w = by.of_value + l, *g = SQUARES ? nullptr : by.of_size + l;
    if (floats && x.col_step == 1) {
      const float *row = data + i * x.row_step + l;
      add_row<SQUARES>([=](int64_t c) { return row[c]; }, count, w, g, value + i, size + i, plain + i);
    } else {
      add_row<SQUARES>([&](int64_t c) { return x.at(i, l + c); }, count, w, g, value + i, size + i, plain + i);
    }
  }
}

template <bool SQUARES>
RowSums sum_rows(const View &x, int64_t rows, int64_t columns, const Weights &by) {
  RowSums sums(rows);
  in_parallel(rows, static_cast<double>(rows) * static_cast<double>(columns),
              [&](int64_t first, int64_t last) { add_rows<SQUARES>(x, first, last, columns, by, &sums); });
  return sums;
}

void take_roots(std::vector<double> *x) {
  for (double &value : *x) value = std::sqrt(value);
}

// Elements outside its part are zeros.
View view_of(const Output &c) {
  const View::Structure structure = c.part == Output::all ? View::general : View::triangular;
  return {c.data, c.row_step, c.col_step, Type::f32, structure, c.part == Output::upper, false};
}

// Per row: sums of C, of the old C with its norms, of the product. norms, squares, widest: sum, sum of
// squares and maximum of the norms of y's rows.
struct Sums {
  RowSums after, before, product;
  double norms, squares, widest;

  void add_norms(const std::vector<double> &all) {
    for (const double norm : all) {
      norms += norm;
      squares += norm * norm;
      widest = std::max(widest, norm);
    }
  }
};

ChecksumBound bound_of(const ErrorContract &c, const Sums &sums) {
  const Product &p = c.products.term[0];
  const double terms = static_cast<double>(c.products.count) * static_cast<double>(p.k);
  ChecksumBound b =
      checksum_bound(c.mode, c.factor, static_cast<double>(c.alpha), terms, static_cast<double>(p.n), c.cut);
  b.norms = sums.norms;
  b.norm = std::sqrt(sums.squares);
  b.widest = sums.widest;
  b.floor = element_floor(element_bound(c));
  b.scaled_first = operand_floor(element_bound(c));
  if (!c.solved) return b;
  // The product is that of the computed solution: only the triangle magnifies its loss
  // (docs/kernels/verification-bounds.md).
  b.scaled_first = c.smallest * std::max(1.0, b.alpha);
  b.alpha = 1;
  if (p.x.structure == View::triangular && !flushes(c.smallest)) b.norms = 0;
  return b;
}

// For a row without NaN and Inf.
double ratio_of_row(const ErrorContract &c, const Sums &sums, const ChecksumBound &bound, size_t i) {
  const double alpha = static_cast<double>(c.alpha), beta = static_cast<double>(c.beta);
  const bool solution_first = c.solved && c.products.term[0].x.structure != View::triangular;
  const double product = sums.product.value[i], before = sums.before.value[i];
  ChecksumRow row = {sums.product.size[i], sums.product.plain[i], std::sqrt(sums.before.size[i])};
  row.old *= std::fabs(c.solved ? alpha : beta);
  if (!c.solved) return checksum_ratio(sums.after.value[i], alpha * product + beta * before, row, bound);
  if (solution_first && !flushes(c.smallest)) row.plain = 0;
  return checksum_ratio(product, alpha * before, row, bound);
}

bool has_triangle(const ErrorContract &c) {
  const Product &p = c.products.term[0];
  return p.x.structure == View::triangular || p.y.structure == View::triangular;
}

// For a column of C whose column of y is not finite. Without a triangle's zeros no element may be finite.
double ratio_of_spoilt_column(const ErrorContract &c, int64_t j) {
  const Output &out = c.products.out;
  for (int64_t i = out.first_row(j); i < out.last_row(j, c.products.term[0].m); ++i) {
    if (std::isfinite(*out.at(i, j))) return std::numeric_limits<double>::infinity();
  }
  return 0;
}

// The worst of all rows and of columns without weight. Lines that sums cannot judge are recomputed.
double judge_all(const ErrorContract &c, const Sums &sums, const std::vector<double> &signs) {
  constexpr size_t kMostLines = 16;
  const ErrorContract transposed = c.transposed();
  const bool triangle = has_triangle(c);
  const ChecksumBound bound = bound_of(c, sums);
  std::vector<int64_t> rows, columns;
  double worst = 0;
  for (size_t j = 0; j < signs.size(); ++j) {
    if (signs[j] != 0) continue;
    if (triangle) {
      columns.push_back(static_cast<int64_t>(j));
    } else {
      worst = std::max(worst, ratio_of_spoilt_column(c, static_cast<int64_t>(j)));
    }
  }
  for (size_t i = 0; i < sums.product.value.size(); ++i) {
    const bool spoilt = !checksum_finite(sums.product.plain[i]);
    if (spoilt && !triangle) {
      worst = std::max(worst, ratio_of_spoilt_column(transposed, static_cast<int64_t>(i)));
    } else if (spoilt || sums.before.plain[i] > 0 || (!c.solved && sums.after.plain[i] > 0)) {
      rows.push_back(static_cast<int64_t>(i));
    } else {
      worst = std::max(worst, ratio_of_row(c, sums, bound, i));
    }
  }
  // trsm: columns are solutions if x is the triangle, otherwise rows. Only a whole solution shows the cause of its
  // values.
  const bool left = c.products.term[0].x.structure == View::triangular;
  const bool in_triangle = c.solved && !(left ? rows : columns).empty();
  if (in_triangle || rows.size() + columns.size() > kMostLines) {
    return std::max(worst, worst_of_all(c.solved && !left ? transposed : c));
  }
  for (const int64_t j : columns) worst = std::max(worst, worst_of_column(c, j));
  for (const int64_t i : rows) worst = std::max(worst, worst_of_column(transposed, i));
  return worst;
}

// Columns of y that are not finite get weight 0.
RowSums sum_of_y(const Product &p, std::vector<double> *signs) {
  RowSums sums = sum_rows<true>(p.y, p.k, p.n, {signs->data(), nullptr});
  if (*std::max_element(sums.plain.begin(), sums.plain.end()) == 0) return sums;
  const std::vector<double> ones(static_cast<size_t>(p.k), 1);
  const RowSums columns = sum_rows<true>(p.y.transposed(), p.n, p.k, {ones.data(), nullptr});
  for (size_t j = 0; j < signs->size(); ++j) {
    if (columns.plain[j] > 0) (*signs)[j] = 0;
  }
  return sum_rows<true>(p.y, p.k, p.n, {signs->data(), nullptr});
}

void multiply_all(const Product &p, RowSums inner, Sums *sums) {
  take_roots(&inner.size);
  const RowSums outer = sum_rows<false>(p.x, p.m, p.k, {inner.value.data(), inner.size.data()});
  sums->add_norms(inner.size);
  for (size_t i = 0; i < outer.value.size(); ++i) {
    sums->product.value[i] += outer.value[i];
    sums->product.size[i] += outer.size[i];
    sums->product.plain[i] += outer.plain[i];
  }
}

// For a triangle of C: row i needs y times the signs of its own columns, those of the row before and one more. Norms
// are computed for 32 rows together, slightly too large.
void multiply_triangle(const Product &p, Output::Part part, const double *signs, Sums *sums) {
  constexpr int64_t kRows = 32;
  RowSums inner(p.k);
  std::vector<double> norms(static_cast<size_t>(p.k));
  for (int64_t done = 0; done < p.m; done += kRows) {
    const int64_t rows = std::min(kRows, p.m - done);
    const auto row = [&](int64_t r) { return part == Output::upper ? p.m - 1 - done - r : done + r; };
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t l = 0; l < p.k; ++l) {
        const double y = finite_or_zero(static_cast<double>(p.y.at(l, row(r))));
        inner.size[static_cast<size_t>(l)] += y * y;
      }
    }
    norms = inner.size;
    take_roots(&norms);
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t i = row(r);
      double value = 0, size = 0, plain = 0;
      for (int64_t l = 0; l < p.k; ++l) {
        const auto at = static_cast<size_t>(l);
        inner.value[at] += signs[i] * finite_or_zero(static_cast<double>(p.y.at(l, i)));
        const double x = static_cast<double>(p.x.at(i, l));
        value += x * inner.value[at];
        size += std::fabs(x) * norms[at];
        plain += std::fabs(x);
      }
      sums->product.value[static_cast<size_t>(i)] += value;
      sums->product.size[static_cast<size_t>(i)] += size;
      sums->product.plain[static_cast<size_t>(i)] += plain;
    }
  }
  sums->add_norms(norms);
}

}  // namespace

double worst_of_sums(const ErrorContract &c, uint64_t seed) {
  const Product &p = c.products.term[0];
  const Output &out = c.products.out;
  std::vector<double> signs(static_cast<size_t>(p.n));
  for (int64_t j = 0; j < p.n; ++j) signs[static_cast<size_t>(j)] = checksum_sign(seed, j);
  std::vector<RowSums> inner;
  inner.reserve(static_cast<size_t>(c.products.count));
  for (int t = 0; t < c.products.count; ++t) inner.push_back(sum_of_y(c.products.term[t], &signs));
  const Weights by = {signs.data(), nullptr};
  Sums sums = {c.solved ? RowSums(0) : sum_rows<true>(view_of(out), p.m, p.n, by),
               c.before.data != nullptr ? sum_rows<true>(view_of(c.before), p.m, p.n, by) : RowSums(p.m),
               RowSums(p.m),
               0,
               0,
               0};
  for (int t = 0; t < c.products.count; ++t) {
    if (out.part == Output::all) {
      multiply_all(c.products.term[t], inner[static_cast<size_t>(t)], &sums);
    } else {
      multiply_triangle(c.products.term[t], out.part, signs.data(), &sums);
    }
  }
  return judge_all(c, sums, signs);
}

}  // namespace libsgemm

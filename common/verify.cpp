// Verification in FP64: slow, independent of every kernel, and exact about which terms an element has.
#include "verify.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "product.h"

namespace libsgemm {
namespace {

constexpr int kSamples = 4;  // columns, and as many rows
constexpr double kUnit = 0x1p-24;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A wrong result must not be missed twice for the same reason, so each call draws other rows. A Weyl sequence through
// the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
int64_t draw(int64_t count) {
  static std::atomic<uint64_t> state{0x243f6a8885a308d3u};
  uint64_t z = state.fetch_add(0x9e3779b97f4a7c15u, std::memory_order_relaxed);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<int64_t>((z ^ (z >> 31)) % static_cast<uint64_t>(count));
}

// Sums of a column of a product: value and sum of magnitudes of its elements [first, last).
struct Column {
  std::vector<double> value, magnitude;
  std::vector<double> factor;  // a column of y

  // The product of a row of x, k floats one after the other, and `factor`.
  void add_row(int64_t i, const float *x, int64_t k) {
    constexpr int kLanes = 4;
    double sums[kLanes] = {}, sizes[kLanes] = {};
    int64_t l = 0;
    for (; l + kLanes <= k; l += kLanes) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const double term = static_cast<double>(x[l + lane]) * factor[static_cast<size_t>(l + lane)];
        sums[lane] += term;
        sizes[lane] += std::fabs(term);
      }
    }
    for (; l < k; ++l) {
      const double term = static_cast<double>(x[l]) * factor[static_cast<size_t>(l)];
      sums[0] += term;
      sizes[0] += std::fabs(term);
    }
    value[static_cast<size_t>(i)] += sums[0] + sums[1] + sums[2] + sums[3];
    magnitude[static_cast<size_t>(i)] += sizes[0] + sizes[1] + sizes[2] + sizes[3];
  }

  void add(int64_t i, double term) {
    value[static_cast<size_t>(i)] += term;
    magnitude[static_cast<size_t>(i)] += std::fabs(term);
  }
};

void add_product(const Product &p, int64_t j, int64_t first, int64_t last, Column *column) {
  if (p.x.plain() && p.y.structure != View::triangular && p.x.row_step == 1) {
    // Along the columns of x, the way they lie in memory.
    for (int64_t l = 0; l < p.k; ++l) {
      const double y = static_cast<double>(p.y.at(l, j));
      const float *x = static_cast<const float *>(p.x.data) + l * p.x.col_step;
      for (int64_t i = first; i < last; ++i) column->add(i, static_cast<double>(x[i]) * y);
    }
    return;
  }
  if (p.x.plain() && p.x.col_step == 1 && p.y.structure != View::triangular) {
    // Along the rows of x, in four sums so that an addition need not wait for the one before.
    column->factor.resize(static_cast<size_t>(p.k));
    for (int64_t l = 0; l < p.k; ++l) column->factor[static_cast<size_t>(l)] = static_cast<double>(p.y.at(l, j));
    for (int64_t i = first; i < last; ++i) {
      column->add_row(i, static_cast<const float *>(p.x.data) + i * p.x.row_step, p.k);
    }
    return;
  }
  for (int64_t i = first; i < last; ++i) {
    const Span span = p.span(i, j);
    for (int64_t l = span.first; l < span.last; ++l) {
      column->add(i, static_cast<double>(p.x.at(i, l)) * static_cast<double>(p.y.at(l, j)));
    }
  }
}

// Ratio of an error to its bound, `factor` times `magnitude` and `lost`.
double ratio(double computed, double wanted, double magnitude, double factor, double lost, int64_t k) {
  // Beyond the range of FP32 a kernel may overflow to Inf, or in its partial sums to NaN; NaN and Inf in the input
  // spread to one of these. What matters is that no finite number hides them, and that none appears without cause.
  if (!std::isfinite(wanted)) return std::isfinite(computed) ? kInfinity : 0;
  if (!std::isfinite(computed))
    return magnitude > static_cast<double>(std::numeric_limits<float>::max()) ? 0 : kInfinity;
  // Products below the normal range lose bits that the relative bound does not know of.
  const double floor = static_cast<double>(std::numeric_limits<float>::denorm_min()) * static_cast<double>(k + 2);
  return std::fabs(computed - wanted) / (factor * magnitude + lost + floor);
}

// The result and what it came from, in one orientation: rows of C are columns of its transpose. Of trsm, x is the
// triangle, so that a column is one solution.
struct Claim {
  Products products;
  Output before;  // C as it was; data NULL if it was not read
  float alpha, beta;
  bool solved;  // trsm: the product is to be alpha * before
  libsgemm_math_mode_t mode;
  double factor;

  Claim transposed() const { return {products.transposed(), before.transposed(), alpha, beta, solved, mode, factor}; }
};

// f of verify.h.
double error_factor(const GemmDesc &d, const Arithmetic &how) {
  const double k = static_cast<double>(d.k), terms = d.routine == Routine::syr2k ? 2 : 1;
  double factor = 2 * terms * std::sqrt(k + 2) * kUnit;
  if (how.truncates) factor += (k / (how.mode == LIBSGEMM_MATH_TF32 ? 8 : 16) + 1) * 2 * kUnit;
  if (how.mode == LIBSGEMM_MATH_BF16X6) factor += 4 * kUnit;
  if (how.mode == LIBSGEMM_MATH_FP16X3) factor += 8 * kUnit;
  return factor;
}

// Of a row of x: the sum of magnitudes, and how much of an element its parts may lose.
struct Parts {
  double sum, lost;
};

Parts parts(const View &x, int64_t i, int64_t k, libsgemm_math_mode_t mode) {
  double sum = 0, largest = 0;
  for (int64_t l = 0; l < k; ++l) {
    const double magnitude = std::fabs(static_cast<double>(x.at(i, l)));
    sum += magnitude;
    largest = std::max(largest, magnitude);
  }
  return {sum, mode == LIBSGEMM_MATH_FP16X3 ? 0x1p-49 * largest : 0x1p-133};
}

Claim claim(const GemmDesc &d, const float *before, const Arithmetic &how) {
  const bool solved = d.routine == Routine::trsm;
  const Products p = solved ? products(d, d.c, d.ldc, how.mode) : products(d, before, d.m, how.mode);
  const bool reads = before != nullptr && reads_c(d) && d.routine != Routine::trmm;
  const Output old = {reads ? const_cast<float *>(before) : nullptr, 1, d.m, p.out.part};
  const Claim c = {p, old, d.alpha, d.beta, solved, how.mode, error_factor(d, how)};
  return solved && d.side == LIBSGEMM_RIGHT ? c.transposed() : c;
}

// Whether a solution of trsm has its infinities and NaNs where substitution in FP64 has them: a zero on the diagonal,
// or a growth beyond the range of FP32, gives them rightly.
bool right_not_to_be_finite(const Claim &c, int64_t j) {
  const View &t = c.products.term[0].x;
  const int64_t order = c.products.term[0].m;
  constexpr double kLimit = static_cast<double>(std::numeric_limits<float>::max()) / 2;
  std::vector<double> x(static_cast<size_t>(order));
  for (int64_t step = 0; step < order; ++step) {
    const int64_t i = t.upper ? order - 1 - step : step;
    double sum = static_cast<double>(c.alpha) * static_cast<double>(*c.before.at(i, j));
    double magnitude = std::fabs(sum);
    for (int64_t l = t.upper ? i + 1 : 0; l < (t.upper ? order : i); ++l) {
      const double term = static_cast<double>(t.at(i, l)) * x[static_cast<size_t>(l)];
      sum -= term;
      magnitude += std::fabs(term);
    }
    const double wanted = t.unit ? sum : sum / static_cast<double>(t.at(i, i));
    const bool in_range = magnitude <= kLimit && std::fabs(wanted) <= kLimit;  // false for NaN
    const double computed = static_cast<double>(*c.products.out.at(i, j));
    if (in_range != std::isfinite(computed) && (in_range || !std::isfinite(wanted))) return false;
    x[static_cast<size_t>(i)] = std::isfinite(computed) ? wanted : computed;
  }
  return true;
}

double worst_of_column(const Claim &c, int64_t j, Column *column) {
  const Product &p = c.products.term[0];
  const int64_t first = c.products.out.first_row(j), last = c.products.out.last_row(j, p.m);
  column->value.assign(static_cast<size_t>(p.m), 0);
  column->magnitude.assign(static_cast<size_t>(p.m), 0);
  for (int t = 0; t < c.products.count; ++t) add_product(c.products.term[t], j, first, last, column);
  const double alpha = static_cast<double>(c.alpha);
  const bool split = c.mode == LIBSGEMM_MATH_BF16X6 || c.mode == LIBSGEMM_MATH_FP16X3;
  const Parts y = split ? parts(p.y.transposed(), j, p.k, c.mode) : Parts{0, 0};
  double worst = 0;
  for (int64_t i = first; i < last; ++i) {
    const double value = column->value[static_cast<size_t>(i)], magnitude = column->magnitude[static_cast<size_t>(i)];
    const double old = c.before.data != nullptr ? static_cast<double>(*c.before.at(i, j)) : 0;
    if (c.solved && !std::isfinite(value)) {
      // Told by whole solutions; a row of them does not show what led to it.
      if (p.x.structure == View::triangular && !right_not_to_be_finite(c, j)) return kInfinity;
      continue;
    }
    if (c.solved) {
      worst = std::max(worst, ratio(value, alpha * old, magnitude + std::fabs(alpha * old), c.factor, 0, p.k));
      continue;
    }
    const double add = c.before.data != nullptr ? static_cast<double>(c.beta) * old : 0;
    const double computed = static_cast<double>(*c.products.out.at(i, j));
    const Parts x = split ? parts(p.x, i, p.k, c.mode) : Parts{0, 0};
    const double lost = std::fabs(alpha) * (x.lost * y.sum + x.sum * y.lost);
    worst = std::max(worst, ratio(computed, alpha * value + add, std::fabs(alpha) * magnitude + std::fabs(add),
                                  c.factor, lost, p.k));
  }
  return worst;
}

}  // namespace

double verify_result(const GemmDesc &desc, const Snapshot *before, libsgemm_verify_t mode, Arithmetic arithmetic) {
  Column column;
  double worst = 0;
  for (int64_t item = 0; item < desc.batch_count; ++item) {
    const GemmDesc d = batch_item(desc, item);
    const Claim columns = claim(d, before != nullptr ? before->item(item) : nullptr, arithmetic);
    const int64_t m = columns.products.term[0].m, n = columns.products.term[0].n;
    if (mode == LIBSGEMM_VERIFY_FULL || n <= 2 * kSamples) {
      for (int64_t j = 0; j < n; ++j) worst = std::max(worst, worst_of_column(columns, j, &column));
      continue;
    }
    const Claim rows = columns.transposed();
    for (int s = 0; s < kSamples; ++s) {
      worst = std::max(worst, worst_of_column(columns, draw(n), &column));
      worst = std::max(worst, worst_of_column(rows, draw(m), &column));
    }
  }
  return worst;
}

}  // namespace libsgemm

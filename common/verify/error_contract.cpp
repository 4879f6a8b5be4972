#include "error_contract.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace libsgemm {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr double kLargest = std::numeric_limits<float>::max(), kNormal = std::numeric_limits<float>::min();

Span elements_of(const View &x, int64_t row, int64_t k) {
  const bool triangular = x.structure == View::triangular;
  return {triangular && x.upper ? row : 0, triangular && !x.upper ? row + 1 : k};
}

Line line(const View &x, int64_t row, int64_t k) {
  Line line = {};
  const Span span = elements_of(x, row, k);
  for (int64_t l = span.first; l < span.last; ++l) line.add(std::fabs(static_cast<double>(x.at(row, l))));
  return line;
}

double largest_finite(const View &x, int64_t row, int64_t k) {
  double largest = 0;
  const Span span = elements_of(x, row, k);
  for (int64_t l = span.first; l < span.last; ++l) {
    const double magnitude = std::fabs(static_cast<double>(x.at(row, l)));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  return largest;
}

struct Factors {
  Line x, y;
};

Factors factors(const Product &p, int64_t i, int64_t j) {
  Factors f = {};
  const Span span = p.span(i, j);
  for (int64_t l = span.first; l < span.last; ++l) {
    f.x.add(std::fabs(static_cast<double>(p.x.at(i, l))));
    f.y.add(std::fabs(static_cast<double>(p.y.at(l, j))));
  }
  return f;
}

Line all_factors(const ErrorContract &c, int64_t i, int64_t j) {
  Line all = {};
  for (int t = 0; t < c.products.count; ++t) {
    const Product &p = c.products.term[t];
    const Factors f = factors(p, i, j);
    all.sum += f.x.sum + f.y.sum;
    // A BLAS may also multiply elements by a triangle's zeros: NaN if alpha takes such an element out of the range.
    const double beside = std::max(largest_finite(p.x, i, p.k), largest_finite(p.y.transposed(), j, p.k));
    all.largest = std::max({all.largest, f.x.largest, f.y.largest, beside});
  }
  return all;
}

// True if a trsm solution has Inf and NaN where substitution in FP64 has them: after a zero on the diagonal, or growth
// beyond FP32's range. A kernel multiplies the right-hand side or the solution by alpha: if only one of these leaves
// the range, later elements may be finite or not.
bool right_not_to_be_finite(const ErrorContract &c, int64_t j) {
  const View &t = c.products.term[0].x;
  const int64_t order = c.products.term[0].m;
  constexpr double kLimit = kLargest / 2;
  const double alpha = std::fabs(static_cast<double>(c.alpha));
  std::vector<double> x(static_cast<size_t>(order));
  bool either = false;
  for (int64_t step = 0; step < order; ++step) {
    const int64_t i = t.upper ? order - 1 - step : step;
    double sum = static_cast<double>(c.alpha) * static_cast<double>(*c.before.at(i, j));
    double magnitude = std::fabs(sum);
    for (int64_t l = t.upper ? i + 1 : 0; l < (t.upper ? order : i); ++l) {
      const double term = static_cast<double>(t.at(i, l)) * x[static_cast<size_t>(l)];
      sum -= term;
      magnitude += std::fabs(term);
    }
    const double diagonal = t.unit ? 1 : static_cast<double>(t.at(i, i));
    const double wanted = sum / diagonal, largest = std::max(magnitude, std::fabs(wanted));
    const bool divides = !flushes(c.smallest) || std::fabs(diagonal) >= kNormal;  // not flushed to zero
    const bool in_range = divides && largest <= kLimit && std::isfinite(wanted);  // if alpha comes first
    const bool last_in_range = divides && largest <= kLimit * alpha;
    const bool finite = std::isfinite(static_cast<double>(*c.products.out.at(i, j)));
    if (finite && !std::isfinite(wanted)) return false;
    if (!finite && in_range && last_in_range && !either) return false;
    // An element that leaves the range in every order makes later ones non-finite.
    const bool may_stay = std::isfinite(wanted) && (in_range || last_in_range || either);
    either = either || (!finite && may_stay);
    x[static_cast<size_t>(i)] = finite || may_stay ? wanted : static_cast<double>(*c.products.out.at(i, j));
  }
  return true;
}

double smallest(const Arithmetic &how) {
  // Directed rounding to FP16 is off by one unit.
  if (how.floats.directed && mode_traits(how.mode).rounding == Rounding::f16) return 0x1p-24;
  return how.floats.flushes ? kNormal : (how.floats.directed ? 2 : 1) * kChecksumSmallest;
}

// Judges a solution once, as a whole: a single row does not show the cause.
double solution_ratio(const ErrorContract &c, int64_t j, bool *judged) {
  if (*judged || c.products.term[0].x.structure != View::triangular) return 0;
  *judged = true;
  return right_not_to_be_finite(c, j) ? 0 : kInfinity;
}

}  // namespace

ChecksumCut cut_off(const GemmDesc &d, const Arithmetic &how) {
  if (!how.truncates) return {0, 0};
  const Rounding rounding = mode_traits(how.mode).rounding;
  const double part = (static_cast<double>(d.k) / (rounding == Rounding::tf32 ? 8 : 16) + 1) * 2 * kUnit;
  return {part, d.type == Type::f16 || rounding == Rounding::f16 ? 0x1p-14 : 0x1p-126};
}

double error_factor(const GemmDesc &d, const Arithmetic &how) {
  const double k = static_cast<double>(d.k), terms = traits_of(d).terms();
  double factor = 4 * terms * std::sqrt(k + 2) * kUnit + cut_off(d, how).part + mode_traits(how.mode).left_out * kUnit;
  if (how.floats.directed) factor += 2 * (terms * k + 2) * kUnit;
  return factor;
}

ErrorContract error_contract(const GemmDesc &d, const float *before, const Arithmetic &how) {
  const bool solved = d.routine == Routine::trsm;
  const Products p = solved ? products(d, d.c, d.ldc, how.mode) : products(d, before, d.m, how.mode);
  const bool reads = before != nullptr && reads_c(d) && d.routine != Routine::trmm;
  const Output old = {reads ? const_cast<float *>(before) : nullptr, 1, d.m, p.out.part};
  const ErrorContract c = {p,
                           old,
                           d.alpha,
                           d.beta,
                           solved,
                           how.mode,
                           error_factor(d, how),
                           cut_off(d, how),
                           smallest(how),
                           how.floats.directed};
  return solved && d.side == LIBSGEMM_RIGHT ? c.transposed() : c;
}

Parts parts(const View &x, int64_t row, int64_t k, libsgemm_math_mode_t mode) {
  return parts_of(line(x, row, k), mode);
}

ElementBound element_bound(const ErrorContract &c) {
  const double terms = static_cast<double>(c.products.term[0].k) * c.products.count;
  const double beta = c.before.data != nullptr ? static_cast<double>(c.beta) : 0;
  return {c.mode, c.factor, static_cast<double>(c.alpha), beta, terms, c.cut, c.smallest, c.directed};
}

ElementBound element_bound(const GemmDesc &d, const Arithmetic &how) {
  const double alpha = static_cast<double>(d.alpha), beta = static_cast<double>(d.beta);
  const double terms = static_cast<double>(d.k);
  return {how.mode, error_factor(d, how), alpha, beta, terms, cut_off(d, how), smallest(how), how.floats.directed};
}

double element_ratio(const ErrorContract &c, int64_t i, int64_t j, double value, double magnitude, double lost,
                     bool *judged) {
  const Product &p = c.products.term[0];
  const double old = c.before.data != nullptr ? static_cast<double>(*c.before.at(i, j)) : 0;
  const ElementBound bound = element_bound(c);
  if (!c.solved) {
    const ProductElement element = {static_cast<double>(*c.products.out.at(i, j)), old, value, magnitude, lost};
    return product_ratio(element, bound, [&] { return all_factors(c, i, j); });
  }
  if (!std::isfinite(value)) return solution_ratio(c, j, judged);
  const double scaled = magnitude + std::fabs(bound.alpha * old);
  Limits limits = {c.factor, scaled, 0, element_floor(bound), scaled > kLargest / (1 + c.factor), c.directed};
  const double worst = error_ratio(value, bound.alpha * old, limits);
  if (worst <= 1) return worst;
  // The solution may be at either end of the range; the triangle may be flushed to zero.
  const bool left = p.x.structure == View::triangular;
  const Factors f = factors(p, i, j);
  const Line &triangle = left ? f.x : f.y, &solution = left ? f.y : f.x;
  limits.floor +=
      c.smallest * std::max(1.0, std::fabs(bound.alpha)) * (triangle.sum + (flushes(c.smallest) ? solution.sum : 0));
  limits.leaves_range = limits.leaves_range || solution.largest >= kLargest;
  return error_ratio(value, bound.alpha * old, limits);
}

}  // namespace libsgemm

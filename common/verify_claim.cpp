// From a description to what is to be shown of its result, and the judgement of one element.
#include "verify_claim.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace libsgemm {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

// Told once for each solution: a row of one does not show what led to it.
double solution_ratio(const Claim &c, int64_t j, bool *told) {
  if (*told || c.products.term[0].x.structure != View::triangular) return 0;
  *told = true;
  return right_not_to_be_finite(c, j) ? 0 : kInfinity;
}

}  // namespace

double error_factor(const GemmDesc &d, const Arithmetic &how) {
  const double k = static_cast<double>(d.k), terms = d.routine == Routine::syr2k ? 2 : 1;
  double factor = 4 * terms * std::sqrt(k + 2) * kUnit;
  if (how.truncates) factor += (k / (how.mode == LIBSGEMM_MATH_TF32 ? 8 : 16) + 1) * 2 * kUnit;
  if (how.mode == LIBSGEMM_MATH_BF16X6) factor += 4 * kUnit;
  if (how.mode == LIBSGEMM_MATH_FP16X3) factor += 8 * kUnit;
  return factor;
}

Claim claim(const GemmDesc &d, const float *before, const Arithmetic &how) {
  const bool solved = d.routine == Routine::trsm;
  const Products p = solved ? products(d, d.c, d.ldc, how.mode) : products(d, before, d.m, how.mode);
  const bool reads = before != nullptr && reads_c(d) && d.routine != Routine::trmm;
  const Output old = {reads ? const_cast<float *>(before) : nullptr, 1, d.m, p.out.part};
  const Claim c = {p, old, d.alpha, d.beta, solved, how.mode, error_factor(d, how)};
  return solved && d.side == LIBSGEMM_RIGHT ? c.transposed() : c;
}

Parts parts(const View &x, int64_t row, int64_t k, libsgemm_math_mode_t mode) {
  double sum = 0, largest = 0;
  for (int64_t l = 0; l < k; ++l) {
    const double magnitude = std::fabs(static_cast<double>(x.at(row, l)));
    sum += magnitude;
    largest = std::max(largest, magnitude);
  }
  return {sum, mode == LIBSGEMM_MATH_FP16X3 ? 0x1p-49 * largest : 0x1p-133};
}

double element_ratio(const Claim &c, int64_t i, int64_t j, double value, double magnitude, double lost, bool *told) {
  const Product &p = c.products.term[0];
  const double alpha = static_cast<double>(c.alpha);
  const double old = c.before.data != nullptr ? static_cast<double>(*c.before.at(i, j)) : 0;
  if (c.solved) {
    if (!std::isfinite(value)) return solution_ratio(c, j, told);
    return ratio(value, alpha * old, magnitude + std::fabs(alpha * old), c.factor, 0, p.k);
  }
  const double add = c.before.data != nullptr ? static_cast<double>(c.beta) * old : 0;
  return ratio(static_cast<double>(*c.products.out.at(i, j)), alpha * value + add,
               std::fabs(alpha) * magnitude + std::fabs(add), c.factor, std::fabs(alpha) * lost, p.k);
}

}  // namespace libsgemm

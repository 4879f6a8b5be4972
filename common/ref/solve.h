// trsm in one form, T X = alpha B with T from the left: X op(A) = alpha B is op(A)^T X^T = alpha B^T.
#pragma once

#include <cmath>
#include <type_traits>

#include "contract/finish.h"
#include "matrix/product.h"

#define LIBSGEMM_ALWAYS_INLINE __attribute__((always_inline)) inline

namespace libsgemm {

// Sums of doubles are cut into chains of kChainTerms terms (contract/finish.h), sums of floats are one chain.
template <typename Real>
constexpr bool kInChains = std::is_same_v<Real, double>;

struct Triangle {
  View t;    // order x order
  Output x;  // order x count; B on entry, X on return
  int64_t order, count;
};

inline Triangle triangle(const GemmDesc &desc) {
  const Product p = products(desc, desc.c, desc.ldc).term[0];
  const Output out = {desc.c, 1, desc.ldc, Output::all};
  if (desc.side == LIBSGEMM_LEFT) return {p.x, out, desc.m, desc.n};
  return {p.y.transposed(), out.transposed(), desc.n, desc.m};
}

// Substitutes in rows [first, last) of X; those before (lower) or after (upper) must have been eliminated.
inline void substitute(const Triangle &s, int64_t first, int64_t last, float alpha) {
  for (int64_t j = 0; j < s.count; ++j) {
    for (int64_t step = 0; step < last - first; ++step) {
      const int64_t i = s.t.upper ? last - 1 - step : first + step;
      float sum = alpha * *s.x.at(i, j);
      const int64_t from = s.t.upper ? i + 1 : first, to = s.t.upper ? last : i;
      for (int64_t p = from; p < to; ++p) sum -= s.t.at(i, p) * *s.x.at(p, j);
      *s.x.at(i, j) = s.t.unit ? sum : sum / s.t.at(i, i);
    }
  }
}

// In FP64 the product is exact.
LIBSGEMM_ALWAYS_INLINE float added(float a, float b, float sum) { return fmaf(a, b, sum); }
LIBSGEMM_ALWAYS_INLINE double added(double a, double b, double sum) { return sum + a * b; }

constexpr int64_t kSolveColumns = 16;

// Solves all of s with the promised sums, kSolveColumns at a time. `known`: kSolveColumns * order floats for the solved
// unknowns, in the order of solving.
template <typename Real>
LIBSGEMM_ALWAYS_INLINE void solve_columns(const Triangle &s, float alpha, float *known) {
  for (int64_t j0 = 0; j0 < s.count; j0 += kSolveColumns) {
    const int64_t columns = std::min(kSolveColumns, s.count - j0);
    for (int64_t step = 0; step < s.order; ++step) {
      const int64_t i = s.t.upper ? s.order - 1 - step : step;
      Real sum[kSolveColumns] = {}, total[kSolveColumns] = {};
      for (int64_t before = 0; before < step; ++before) {
        if (kInChains<Real> && before > 0 && before % kChainTerms == 0) {
          for (int64_t c = 0; c < kSolveColumns; ++c) total[c] += sum[c], sum[c] = 0;
        }
        const Real t = s.t.at(i, s.t.upper ? s.order - 1 - before : before);
        for (int64_t c = 0; c < kSolveColumns; ++c) sum[c] = added(t, Real{known[before * kSolveColumns + c]}, sum[c]);
      }
      float *const x = known + step * kSolveColumns;
      for (int64_t c = 0; c < columns; ++c) {
        const Real all = kInChains<Real> ? total[c] + sum[c] : sum[c];
        const Real rest = added(Real{alpha}, Real{*s.x.at(i, j0 + c)}, -all);
        x[c] = *s.x.at(i, j0 + c) = static_cast<float>(s.t.unit ? rest : rest / s.t.at(i, i));
      }
      for (int64_t c = columns; c < kSolveColumns; ++c) x[c] = x[columns - 1];  // raises no flag of its own
    }
  }
}

}  // namespace libsgemm

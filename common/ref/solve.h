// trsm in one form, T X = alpha B with T from the left: X op(A) = alpha B is op(A)^T X^T = alpha B^T.
#pragma once

#include "matrix/product.h"

namespace libsgemm {

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

}  // namespace libsgemm

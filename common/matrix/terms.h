// The terms of an element of a convolution's output.
#pragma once

#include "contract/conv.h"

namespace libsgemm {

// Terms outside the padding; loop[0] is the outermost. Term (i, j, l) is a[i * loop[0].a + ...] times b[i * loop[0].b +
// ...].
struct Terms {
  struct Loop {
    int64_t count, a, b;
  };
  const float *a, *b;  // a: in x, data gradient: in y; b: in f, weight gradient: in y
  Loop loop[3];

  template <typename Add>
  void for_each(const Add &add) const {
    for (int64_t i = 0; i < loop[0].count; ++i) {
      for (int64_t j = 0; j < loop[1].count; ++j) {
        const float *x = a + i * loop[0].a + j * loop[1].a, *y = b + i * loop[0].b + j * loop[1].b;
        for (int64_t l = 0; l < loop[2].count; ++l) add(x[l * loop[2].a], y[l * loop[2].b]);
      }
    }
  }
};

// Element (at[0], ..., at[3]), in the order of LIBSGEMM_DETERMINISTIC_INVARIANT.
Terms terms_of(const ConvDesc &desc, const int64_t (&at)[4]);

// True if a zero of the padding may meet a number that is not finite: a kernel may include that NaN or not.
bool padding_meets_infinity(const ConvDesc &desc, const int64_t (&at)[4]);

}  // namespace libsgemm

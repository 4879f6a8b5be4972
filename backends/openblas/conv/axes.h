// A group of a convolution as a product out = alpha A B + beta out of implicit matrices:
//
//   element (i, l) of A is a[offset of i in A + offset of l in A], never in the padding;
//   element (l, j) of B is b[offset of l in B + offset of j in B], or 0 if both positions' sum is outside B's image;
//   element (i, j) of out is c[offset of i in C + offset of j in C].
//
//                     i          l                     j          A  B
//   forward           filters    c, r, s               n, p, q    f  x
//   data gradient     channels   filters, taps         n, h, w    f  y
//   weight gradient   filters    n, p, q               c, r, s    y  x
//
// The data gradient has a product for each remainder of h and w modulo the strides, with the taps that reach it.
#pragma once

#include "contract/conv.h"

namespace libsgemm {

// A digit of an index: its range, and the distance between neighbours in the matrices and in B's image.
struct Digit {
  int64_t count;
  int64_t a, b, c;  // elements
  int64_t h, w;     // image rows and columns

  // True if `next`, which counts slower, continues where this digit ends.
  bool goes_on(const Digit &next) const {
    return next.a == count * a && next.b == count * b && next.c == count * c && next.h == count * h &&
           next.w == count * w;
  }
};

// An index in the fewest possible digits; the first counts fastest.
struct Axis {
  Digit digit[3] = {{1, 0, 0, 0, 0, 0}, {}, {}};
  int rank = 1;
  int64_t count = 1;

  void add(const Digit &next) {
    count *= next.count;
    if (next.count == 1) return;
    Digit &last = digit[rank - 1];
    if (last.count == 1) {
      last = next;
    } else if (last.goes_on(next)) {
      last.count *= next.count;
    } else {
      digit[rank++] = next;
    }
  }
};

struct ImplicitProduct {
  Axis i, j, l;  // l.count may be 0
  const float *a, *b;
  float *c;
  int64_t first_b;        // offset of B's first element; may be outside
  int64_t h, w;           // its position in the image; 0 if B is not clipped
  int64_t rows, columns;  // image size
  bool clipped;           // some elements of B are outside the image
};

void for_each_product(const ConvDesc &desc, void (*visit)(void *context, const ImplicitProduct &product),
                      void *context);

}  // namespace libsgemm

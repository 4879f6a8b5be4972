// What verification holds a result to: inside of verify.h.
#pragma once

#include <limits>

#include "contract/element.h"
#include "matrix/product.h"
#include "verify.h"

namespace libsgemm {

// The result and what it came from, in one orientation: rows of C are columns of its transpose. Of trsm, x is the
// triangle, so that a column is one solution.
struct Claim {
  Products products;
  Output before;  // C as it was; data NULL if it was not read
  float alpha, beta;
  bool solved;  // trsm: the product is to be alpha * before
  libsgemm_math_mode_t mode;
  double factor;  // f of verify.h
  ChecksumCut cut;
  double smallest;  // see ElementBound
  bool directed;

  Claim transposed() const {
    Claim t = *this;
    t.products = products.transposed();
    t.before = before.transposed();
    return t;
  }
};

// `before`: C of this product as Snapshot::item() gives it.
Claim claim(const GemmDesc &desc, const float *before, const Arithmetic &how);

// f of verify.h, and what is cut off beyond it where inputs are below their normal range.
double error_factor(const GemmDesc &desc, const Arithmetic &how);
ChecksumCut cut_off(const GemmDesc &desc, const Arithmetic &how);

// Of a row of x.
Parts parts(const View &x, int64_t row, int64_t k, libsgemm_math_mode_t mode);

ElementBound element_bound(const Claim &claim);
ElementBound element_bound(const GemmDesc &desc, const Arithmetic &how);  // of a product

// |error| / bound of element (i, j), from its sums of products and of their magnitudes; `lost`: of the product. `told`:
// whether column j of a trsm, if it has values that are not finite, has been judged as a whole.
double element_ratio(const Claim &claim, int64_t i, int64_t j, double value, double magnitude, double lost, bool *told);

// The worst |error| / bound of the elements of column j, of all elements, and of the checksum of every row.
double worst_of_column(const Claim &claim, int64_t j);
double worst_of_all(const Claim &claim);
double worst_of_sums(const Claim &claim, uint64_t seed);

}  // namespace libsgemm

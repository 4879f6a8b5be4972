// The error contract of a result, for the files that implement verify.h.
#pragma once

#include <limits>

#include "contract/element.h"
#include "matrix/product.h"
#include "verify.h"

namespace libsgemm {

// The result and its operands. trsm: x is the triangle, so a column is one solution; transposed() gives this form for
// the right side.
struct ErrorContract {
  Products products;
  Output before;  // old C; data NULL: not read
  float alpha, beta;
  bool solved;  // trsm: the product must be alpha * before
  libsgemm_math_mode_t mode;
  double factor;  // f of verify.h
  ChecksumCut cut;
  double smallest;  // see ElementBound
  bool directed;

  ErrorContract transposed() const {
    ErrorContract t = *this;
    t.products = products.transposed();
    t.before = before.transposed();
    return t;
  }
};

// `before`: the old C, from Snapshot::item().
ErrorContract error_contract(const GemmDesc &desc, const float *before, const Arithmetic &how);

// f of verify.h, and a truncating kernel's loss below the range.
double error_factor(const GemmDesc &desc, const Arithmetic &how);
ChecksumCut cut_off(const GemmDesc &desc, const Arithmetic &how);

Parts parts(const View &x, int64_t row, int64_t k, libsgemm_math_mode_t mode);

ElementBound element_bound(const ErrorContract &contract);
ElementBound element_bound(const GemmDesc &desc, const Arithmetic &how);  // for a product

// |error| / bound of element (i, j), from its sums of products and magnitudes. `lost`: loss by splits. `judged`: column
// j of a trsm is not finite and has been judged.
double element_ratio(const ErrorContract &contract, int64_t i, int64_t j, double value, double magnitude, double lost,
                     bool *judged);

// The worst |error| / bound of column j, of all elements, of every row's checksum.
double worst_of_column(const ErrorContract &contract, int64_t j);
double worst_of_all(const ErrorContract &contract);
double worst_of_sums(const ErrorContract &contract, uint64_t seed);

}  // namespace libsgemm

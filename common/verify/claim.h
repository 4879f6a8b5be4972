// The claim that verification checks of a result; used only by the files that implement verify.h.
#pragma once

#include <limits>

#include "contract/element.h"
#include "matrix/product.h"
#include "verify.h"

namespace libsgemm {

// The result and its operands in one orientation; transposed() swaps rows and columns of C. For trsm, x is the
// triangle, so that a column is one solution.
struct Claim {
  Products products;
  Output before;  // the old C; data NULL if it was not read
  float alpha, beta;
  bool solved;  // trsm: the product must be alpha * before
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

// `before`: the old C of this product, as Snapshot::item() gives it.
Claim claim(const GemmDesc &desc, const float *before, const Arithmetic &how);

// f of verify.h, and the loss of a truncating kernel beyond it where inputs are below their normal range.
double error_factor(const GemmDesc &desc, const Arithmetic &how);
ChecksumCut cut_off(const GemmDesc &desc, const Arithmetic &how);

// Parts of a row of x.
Parts parts(const View &x, int64_t row, int64_t k, libsgemm_math_mode_t mode);

ElementBound element_bound(const Claim &claim);
ElementBound element_bound(const GemmDesc &desc, const Arithmetic &how);  // for a product

// |error| / bound of element (i, j), from its sums of products and of their magnitudes; `lost`: the product's loss by
// the split of inputs. `told`: true if column j of a trsm has values that are not finite and has been judged as a
// whole.
double element_ratio(const Claim &claim, int64_t i, int64_t j, double value, double magnitude, double lost, bool *told);

// The worst |error| / bound: of the elements of column j, of all elements, and of the checksum of every row.
double worst_of_column(const Claim &claim, int64_t j);
double worst_of_all(const Claim &claim);
double worst_of_sums(const Claim &claim, uint64_t seed);

}  // namespace libsgemm

// Work on C in host memory that needs no backend: beta * C, and copies of C to return to.
#pragma once

#include <cstddef>
#include <memory>

#include "contract/desc.h"

namespace libsgemm {

// The part of C that the routine writes becomes beta * C (0: zero, without reading); of trmm and trsm: zero.
void scale_c(const GemmDesc &desc);

// The part of C that the routine writes, of every product of a batch, as a dense copy.
class Snapshot {
 public:
  // False if there is no memory for it.
  bool take(const GemmDesc &desc);
  void restore(const GemmDesc &desc) const;
  // Product i, m x n, columns m apart; elements outside the part are undefined.
  const float *item(int64_t i) const { return data_.get() + i * rows_ * cols_; }

 private:
  std::unique_ptr<float[]> data_;
  int64_t rows_ = 0, cols_ = 0;
};

// Of rows [first, last) of column `col` of a stored matrix those that belong to its part.
struct RowRange {
  int64_t first, last;
};
RowRange rows_of_part(const Stored &x, int64_t col, int64_t first, int64_t last);

// The part of `source` (m x n, columns ld apart) that the routine writes, into C of a single product.
void store_c(const GemmDesc &desc, const float *source, int64_t ld);

}  // namespace libsgemm

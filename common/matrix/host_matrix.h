// Operations on C in host memory that need no backend: beta * C, and copies of C for restoring it.
#pragma once

#include <cstddef>
#include <memory>

#include "contract/desc.h"

namespace libsgemm {

// Multiplies the part of C that the routine writes by beta (0: writes zeros without reading). trmm and trsm: writes
// zeros.
void scale_c(const GemmDesc &desc);

// A dense copy of the part of C that the routine writes, for every product of a batch.
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

// Returns those of rows [first, last) of column `col` of a stored matrix that belong to its part.
struct RowRange {
  int64_t first, last;
};
RowRange rows_of_part(const Stored &x, int64_t col, int64_t first, int64_t last);

// Copies the part of `source` (m x n, columns ld apart) that the routine writes into C of a single product.
void store_c(const GemmDesc &desc, const float *source, int64_t ld);

}  // namespace libsgemm

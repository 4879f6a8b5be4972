// C in host memory: beta * C, and copies to restore it.
#pragma once

#include <cstddef>
#include <memory>

#include "contract/desc.h"

namespace libsgemm {

// Scales the part that the routine writes. beta 0, trmm, trsm: writes zeros without reading.
void scale_c(const GemmDesc &desc);

// A dense copy of the part of C that the routine writes, for every product.
class Snapshot {
 public:
  // False: no memory.
  bool take(const GemmDesc &desc);
  void restore(const GemmDesc &desc) const;
  // m x n, columns m apart; undefined outside the part.
  const float *item(int64_t i) const { return data_.get() + i * rows_ * cols_; }

 private:
  std::unique_ptr<float[]> data_;
  int64_t rows_ = 0, cols_ = 0;
};

// The rows of [first, last) in the matrix's part of column `col`.
struct RowRange {
  int64_t first, last;
};
RowRange rows_of_part(const Stored &x, int64_t col, int64_t first, int64_t last);

// Writes the routine's part of a single product's C from `source` (m x n, columns ld apart).
void store_c(const GemmDesc &desc, const float *source, int64_t ld);

}  // namespace libsgemm

#include "host_matrix.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace libsgemm {
namespace {

template <typename Visit>
void for_columns(const GemmDesc &desc, const Visit &visit) {
  const Stored c = stored_c(desc);
  for (int64_t j = 0; j < c.cols; ++j) {
    const RowRange rows = rows_of_part(c, j, 0, c.rows);
    visit(j, rows.first, rows.last - rows.first);
  }
}

size_t bytes(int64_t rows) { return static_cast<size_t>(rows) * sizeof(float); }

}  // namespace

RowRange rows_of_part(const Stored &x, int64_t col, int64_t first, int64_t last) {
  return {x.part == Stored::lower ? std::max(first, col) : first,
          x.part == Stored::upper ? std::min(last, col + 1) : last};
}

void scale_c(const GemmDesc &desc) {
  const float beta = in_place(desc) ? 0.0f : desc.beta;
  for (int64_t item = 0; item < desc.batch_count; ++item) {
    const GemmDesc d = batch_item(desc, item);
    for_columns(d, [&](int64_t j, int64_t first, int64_t rows) {
      float *column = d.c + first + j * d.ldc;
      for (int64_t i = 0; i < rows; ++i) column[i] = beta == 0.0f ? 0.0f : beta * column[i];
    });
  }
}

bool Snapshot::take(const GemmDesc &desc) {
  size_t count = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(desc.m) * static_cast<size_t>(desc.n),
                             static_cast<size_t>(desc.batch_count), &count)) {
    return false;
  }
  data_.reset(new (std::nothrow) float[count]);
  if (data_ == nullptr) return false;
  rows_ = desc.m;
  cols_ = desc.n;
  for (int64_t item = 0; item < desc.batch_count; ++item) {
    const GemmDesc d = batch_item(desc, item);
    float *copy = data_.get() + item * rows_ * cols_;
    for_columns(d, [&](int64_t j, int64_t first, int64_t rows) {
      std::memcpy(copy + first + j * rows_, d.c + first + j * d.ldc, bytes(rows));
    });
  }
  return true;
}

void Snapshot::restore(const GemmDesc &desc) const {
  for (int64_t i = 0; i < desc.batch_count; ++i) store_c(batch_item(desc, i), item(i), rows_);
}

void store_c(const GemmDesc &desc, const float *source, int64_t ld) {
  for_columns(desc, [&](int64_t j, int64_t first, int64_t rows) {
    std::memcpy(desc.c + first + j * desc.ldc, source + first + j * ld, bytes(rows));
  });
}

}  // namespace libsgemm

// Level-3 BLAS as sums of products: every routine but trsm is out = alpha * sum of x * y + beta * out on its part of
// out. Views hide transposition, symmetry, triangles, 16-bit types and rounding.
#pragma once

#include <algorithm>

#include "contract/desc.h"
#include "contract/half.h"

namespace libsgemm {

struct View {
  enum Structure : int8_t { general, symmetric, triangular };

  const void *data;
  int64_t row_step, col_step;
  Type type;
  Structure structure;
  bool upper;                                      // symmetric: the stored triangle; triangular: the nonzero one
  bool unit;                                       // a diagonal of ones
  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32;  // f32 elements are rounded to its inputs

  float load(int64_t i, int64_t j) const {
    const int64_t at = i * row_step + j * col_step;
    // NOLINTBEGIN(clang-analyzer-core.NullDereference): data is null only where beta is 0, and then nothing loads it
    if (type == Type::f32) return rounded(static_cast<const float *>(data)[at], mode);
    const uint16_t bits = static_cast<const uint16_t *>(data)[at];
    // NOLINTEND(clang-analyzer-core.NullDereference)
    return type == Type::f16 ? f16_to_float(bits) : bf16_to_float(bits);
  }

  // Triangular: valid only within the triangle.
  float at(int64_t i, int64_t j) const {
    if (structure == symmetric && i != j && (i < j) != upper) return load(j, i);
    if (structure == triangular && unit && i == j) return 1.0f;
    return load(i, j);
  }

  bool plain() const { return structure == general && type == Type::f32 && mode == LIBSGEMM_MATH_FP32; }

  View transposed() const {
    View t = *this;
    std::swap(t.row_step, t.col_step);
    t.upper = !upper;
    return t;
  }

  // i == j if the view has structure.
  View block(int64_t i, int64_t j) const {
    View b = *this;
    b.data = static_cast<const char *>(data) + (i * row_step + j * col_step) * static_cast<int64_t>(size_of(type));
    return b;
  }
};

struct Output {
  enum Part : int8_t { all, upper, lower };

  float *data;
  int64_t row_step, col_step;
  Part part;

  float *at(int64_t i, int64_t j) const { return data + i * row_step + j * col_step; }
  // Column j has rows [first_row, last_row) of m.
  int64_t first_row(int64_t j) const { return part == lower ? j : 0; }
  int64_t last_row(int64_t j, int64_t m) const { return part == upper ? std::min(m, j + 1) : m; }

  Output transposed() const { return {data, col_step, row_step, part == all ? all : part == upper ? lower : upper}; }
};

// The k in [first, last) for which element (i, j) has nonzero factors by structure.
struct Span {
  int64_t first, last;
};

struct Product {
  View x, y;  // m x k and k x n
  int64_t m, n, k;

  // 0 * Inf would make a NaN that the routine does not define.
  Span span(int64_t i, int64_t j) const {
    if (x.structure == View::triangular) return x.upper ? Span{i, k} : Span{0, i + 1};
    if (y.structure == View::triangular) return y.upper ? Span{0, j + 1} : Span{j, k};
    return {0, k};
  }

  Product transposed() const { return {y.transposed(), x.transposed(), n, m, k}; }
};

// trmm: `factor` is the old C. trsm: `factor` is the solution X; op(A) * X is compared with alpha * B.
struct Products {
  int count;  // 2 for syr2k, else 1
  Product term[2];
  Output out;

  Products transposed() const { return {count, {term[0].transposed(), term[1].transposed()}, out.transposed()}; }
};

Products products(const GemmDesc &desc, const float *factor, int64_t ldf,
                  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32);

}  // namespace libsgemm

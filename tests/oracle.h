// What each routine must give, in FP64 by the definitions in libsgemm.h: plain sums over the elements that the
// definition names. Nothing here is shared with the library.
#pragma once

#include <vector>

#include "cases.h"

namespace sgemm_test {

// The part of a matrix that a routine reads or writes.
enum class Region { kNone, kAll, kUpper, kLower, kStrictUpper, kStrictLower };

bool contains(Region region, int64_t row, int64_t column);

// A matrix by its indices, whatever the storage.
struct Matrix {
  int64_t rows = 0, columns = 0;
  Region region = Region::kNone;
  std::vector<float> values;  // row by row

  float &at(int64_t i, int64_t j) { return values[static_cast<size_t>(i * columns + j)]; }
  float at(int64_t i, int64_t j) const { return values[static_cast<size_t>(i * columns + j)]; }
};

// Sums and sums of absolute values, row by row.
struct Sums {
  int64_t rows = 0, columns = 0;
  std::vector<double> sum, magnitude;
};

// A case with its matrices as stored, and its answer.
struct Problem {
  Case test;
  Matrix a, b, c;  // c is the matrix that is written (B of strmm and strsm), before the call
  // The answer and how far from it an element may lie; 0 for the exact cases. Empty for a random strsm, whose answer is
  // judged by its residual.
  std::vector<double> value, limit;
};

// Matrices of the right shapes with values drawn from `seed`, and the answer.
Problem make_problem(const Case &test, uint64_t seed = 1);

// The answer for the matrices that `problem` holds now (not for strsm).
void solve(Problem *problem);

// strsm: op(A) * X or X * op(A).
Sums apply_triangle(const Problem &problem, const Matrix &x);

// Number of products summed up in one element of the answer.
int64_t terms(const Case &test);

}  // namespace sgemm_test

// The right result of each routine, in FP64 by the definitions in libsgemm.h: plain sums over the elements that the
// definition names. It shares no code with the library.
#pragma once

#include <functional>
#include <vector>

#include "cases.h"

namespace sgemm_test {

// The part of a matrix that a routine reads or writes.
enum class Region { kNone, kAll, kUpper, kLower, kStrictUpper, kStrictLower };

bool contains(Region region, int64_t row, int64_t column);

// A matrix by its indices, independent of storage.
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
  // Magnitudes of the factors of each element, by its row and by its column: their sum, and the largest.
  std::vector<double> left_sum, left_largest, right_sum, right_largest;
};

// How a result was computed: the mode whose inputs the operands are rounded to, and how exact the result must be.
struct Arithmetic {
  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32;
  bool truncated = false;  // sums on tensor cores
  bool chain = false;      // each element must have the bits that chain() gives
};

// Returns the arithmetic that libsgemm_last_info reports; throws if its name is no math mode.
Arithmetic arithmetic_of(const libsgemm_info_t &info);
const char *name_of(libsgemm_math_mode_t mode);
// True if kernels of the mode must keep FP32's own error bound.
inline bool keeps_bound_of_fp32(libsgemm_math_mode_t mode) {
  return mode == LIBSGEMM_MATH_FP32 || mode == LIBSGEMM_MATH_FP32_FAST;
}
// True for the modes that round inputs; the others, except FP32, split them.
bool rounds(libsgemm_math_mode_t mode);
// True for the modes that may replace FP32, or a mode that has no kernel.
inline bool stands_for_fp32(libsgemm_math_mode_t mode) {
  return mode == LIBSGEMM_MATH_FP32 || mode == LIBSGEMM_MATH_FP64;
}

// Returns `value` as an input of the mode.
float as_input(libsgemm_math_mode_t mode, float value);

// Error bounds in units of u (|alpha| |A| |B| + |beta| |C|), u = 2^-24, by libsgemm.h. Tensor cores and modes add to
// them.
// kUsual: 2 sqrt(k + 2), for the tables of cases and the modes, whose numbers are random with fixed seeds.
// kSafe: 4 sqrt(k + 2), as in verification, or kAny where that is less; for random numbers with any seed.
// kAny: (k + 2) / (1 - (k + 2) u), which holds for all numbers.
enum class Bound { kUsual, kSafe, kAny };

// Expected values, and the largest error allowed for each; 0 for the exact cases.
struct Answer {
  std::vector<double> value, limit;
  std::vector<bool> leaves_range;  // an intermediate value may legally become Inf or NaN; empty: nowhere
};

// A case with its matrices as stored, and its answer in FP32.
struct Problem {
  Case test;
  Matrix a, b, c;                    // c is the matrix that is written (B of strmm and strsm), before the call
  std::vector<double> value, limit;  // empty for a random strsm, whose answer is judged by its residual
  std::vector<bool> leaves_range;    // as in Answer
};

// Matrices of the right shapes with values drawn from `seed`, and the answer.
Problem make_problem(const Case &test, uint64_t seed = 1);

// Draws a problem without an answer; an exact strsm has one. `fill_*` set all elements of a matrix; without one the
// case decides.
using Fill = std::function<void(Matrix *)>;
Problem draw_problem(const Case &test, uint64_t seed, const Fill &fill_a = nullptr, const Fill &fill_b = nullptr,
                     const Fill &fill_c = nullptr);

// Replaces A by another of the same shape. Computes the answer again if the problem has one.
void replace_a(Problem *problem, const Matrix &a);

// The problems of a strided batch; those that share A or B hold the same values of it.
struct Sharing {
  bool a, b;
};
std::vector<Problem> make_batch(const Case &test, int count, Sharing sharing);

// The rows of an answer that are computed: those with rows[i] != 0; empty: all.
using Rows = std::vector<char>;
// Computes the answer in FP32 for the matrices that `problem` holds now; not for strsm.
void solve(Problem *problem);

// The elements that LIBSGEMM_DETERMINISTIC_INVARIANT promises of a call in this layout.
Matrix chain(const Problem &problem, libsgemm_layout_t layout = LIBSGEMM_COL_MAJOR);

Answer answer(const Problem &problem, const Arithmetic &how, Bound bound = Bound::kUsual, const Rows &rows = {});

// strsm: op(A) * X or X * op(A).
Sums apply_triangle(const Problem &problem, const Matrix &x, const Rows &rows = {});

// Bits lost below the normal range by a product, and the largest number.
constexpr double kSmallest = 0x1p-149, kLargest = 0x1.fffffep127;

// Number of products summed up in one element of the answer.
int64_t terms(const Case &test);

}  // namespace sgemm_test

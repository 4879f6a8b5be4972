// Computes FP64 results by the definitions in libsgemm.h, without code of the library.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "cases.h"
#include "modes.h"

namespace sgemm_test {

enum class Region { kNone, kAll, kUpper, kLower, kStrictUpper, kStrictLower };

bool contains(Region region, int64_t row, int64_t column);

// Elements by indices, independent of storage.
struct Matrix {
  int64_t rows = 0, columns = 0;
  Region region = Region::kNone;
  std::vector<float> values;  // by rows

  float &at(int64_t i, int64_t j) { return values[static_cast<size_t>(i * columns + j)]; }
  float at(int64_t i, int64_t j) const { return values[static_cast<size_t>(i * columns + j)]; }
};

// Sums, and sums of absolute values, by rows.
struct Sums {
  int64_t rows = 0, columns = 0;
  std::vector<double> sum, magnitude;
  // Magnitudes of an element's factors, by row and column: sum and largest.
  std::vector<double> left_sum, left_largest, right_sum, right_largest;
};

struct Arithmetic {
  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32;
  bool truncated = false;  // sums on tensor cores
  bool chain = false;      // requires the bits of chain()
};

// Throws for an unknown mode.
Arithmetic arithmetic_of(const libsgemm_info_t &info);
// Modes with FP32's own error bound.
inline bool keeps_bound_of_fp32(libsgemm_math_mode_t mode) {
  return mode == LIBSGEMM_MATH_FP32 || mode == LIBSGEMM_MATH_FP32_FAST;
}
// These modes may replace FP32 or a mode without a kernel.
inline bool stands_for_fp32(libsgemm_math_mode_t mode) {
  return mode == LIBSGEMM_MATH_FP32 || mode == LIBSGEMM_MATH_FP64;
}

// Bounds in units of u (|alpha| |A| |B| + |beta| |C|), u = 2^-24, by libsgemm.h; tensor cores and modes add to them.
// kUsual: 2 sqrt(k + 2), for random numbers of fixed seeds. kSafe: 4 sqrt(k + 2) as in verification, or kAny if less,
// for any seed. kAny: (k + 2) / (1 - (k + 2) u), for all numbers.
enum class Bound { kUsual, kSafe, kAny };

// Expected values and largest errors; 0 in exact cases.
struct Answer {
  std::vector<double> value, limit;
  std::vector<bool> leaves_range;  // an intermediate value may become Inf or NaN; empty: nowhere
};

struct Problem {
  Case test;
  Matrix a, b, c;                    // c: written matrix (B of strmm, strsm), before the call
  std::vector<double> value, limit;  // empty for a random strsm: its residual is judged
  std::vector<bool> leaves_range;
  mutable std::map<std::pair<libsgemm_layout_t, libsgemm_math_mode_t>, Matrix> chains;  // results of chain()
};

// Draws matrices from `seed`, with the answer.
Problem make_problem(const Case &test, uint64_t seed = 1);

// Sets an answer only for an exact strsm. `fill_*` set a whole matrix; by default the case decides.
using Fill = std::function<void(Matrix *)>;
Problem draw_problem(const Case &test, uint64_t seed, const Fill &fill_a = nullptr, const Fill &fill_b = nullptr,
                     const Fill &fill_c = nullptr);

// Updates the answer, if there is one.
void replace_a(Problem *problem, const Matrix &a);

// Problems of a strided batch that share A or B have equal values in it.
struct Sharing {
  bool a, b;
};
std::vector<Problem> make_batch(const Case &test, int count, Sharing sharing);

// rows[i] != 0: row i of an answer is computed; empty: all.
using Rows = std::vector<char>;
void solve(Problem *problem);

// The elements that LIBSGEMM_DETERMINISTIC_INVARIANT promises, in mode FP32 or FP64. Computed once for a problem, whose
// matrices must not change afterwards.
const Matrix &chain(const Problem &problem, libsgemm_layout_t layout, libsgemm_math_mode_t mode);

Answer answer(const Problem &problem, const Arithmetic &how, Bound bound = Bound::kUsual, const Rows &rows = {});

// strsm: op(A) * X or X * op(A).
Sums apply_triangle(const Problem &problem, const Matrix &x, const Rows &rows = {});

// The loss of a product below the normal range, and the largest number.
constexpr double kSmallest = 0x1p-149, kLargest = 0x1.fffffep127;

int64_t terms(const Case &test);

}  // namespace sgemm_test

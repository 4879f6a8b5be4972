// Test cases: arguments of a call of a routine, without the matrices.
#pragma once

#include <string>
#include <vector>

#include "call.h"

namespace sgemm_test {

// kExact: small integers, whose sums are exact in any order. kRandom: uniform in (-1, 1), judged by a bound.
enum class Inputs { kExact, kRandom };

// Unused elements after each stored column (row).
struct Padding {
  int a, b, c;
};

struct Case {
  Routine routine;
  libsgemm_op_t transa = LIBSGEMM_NO_TRANS;
  libsgemm_op_t transb = LIBSGEMM_NO_TRANS;
  libsgemm_side_t side = LIBSGEMM_LEFT;
  libsgemm_uplo_t uplo = LIBSGEMM_UPPER;
  libsgemm_diag_t diag = LIBSGEMM_NON_UNIT;
  int64_t m = 0, n = 0, k = 0;  // see fit_sizes()
  float alpha = 1, beta = 0;
  Inputs inputs = Inputs::kExact;
  Padding padding = {1, 2, 3};
  int offset = 0;  // elements by which pointers are misaligned
};

// n becomes m where a triangle of C is written, and k the order of A where A has a side.
void fit_sizes(Case *test);

std::vector<Case> cases_of(Routine routine);

Case case_of(Routine routine, int64_t m, int64_t n, int64_t k);

// Each kernel of the routine supports at least one of these.
std::vector<Case> tries_of(Routine routine);

constexpr libsgemm_layout_t kLayouts[] = {LIBSGEMM_COL_MAJOR, LIBSGEMM_ROW_MAJOR};

std::string describe(const Case &test);

// True if the call only returns or scales C.
bool needs_no_backend(const Case &test);

}  // namespace sgemm_test

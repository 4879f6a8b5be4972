// Tests falsify results of calls below the API before verification.
#pragma once

#include <random>
#include <vector>

#include "ref/ref.h"
#include "support/catch.h"
#include "verify/error_contract.h"

namespace verify_test {

using namespace libsgemm;

inline std::mt19937 &generator() {
  static std::mt19937 g(20260101);
  return g;
}

inline std::vector<float> random_matrix(int64_t ld, int64_t cols) {
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> matrix(static_cast<size_t>(ld * cols));
  for (float &x : matrix) x = values(generator());
  return matrix;
}

inline std::vector<Routine> all_routines() {
  std::vector<Routine> all;
  for (const RoutineTraits &traits : kRoutines) all.push_back(traits.routine);
  return all;
}

struct Problem {
  GemmDesc desc = {};
  std::vector<float> a, b, c;

  Problem(Routine routine, int64_t m, int64_t n, int64_t k) {
    desc.routine = routine;
    const bool square = traits_of(routine).triangle_of_c;
    desc.m = square ? n : m;
    desc.n = n;
    desc.k = k;
    desc.transa = desc.transb = LIBSGEMM_NO_TRANS;
    desc.side = LIBSGEMM_LEFT;
    desc.uplo = LIBSGEMM_UPPER;
    desc.diag = LIBSGEMM_NON_UNIT;
    desc.alpha = 1.5f;
    desc.beta = routine == Routine::trmm ? 0.0f : routine == Routine::trsm ? 1.0f : -0.5f;
    desc.batch_count = 1;
  }

  void fill() {
    const bool sided = desc.routine == Routine::symm || in_place(desc);
    if (sided) desc.k = desc.side == LIBSGEMM_LEFT ? desc.m : desc.n;
    desc.lda = stored_a(desc).rows + 1;
    desc.ldb = stored_b(desc).rows + 2;
    desc.ldc = desc.m + 3;
    a = random_matrix(desc.lda, stored_a(desc).cols);
    b = random_matrix(desc.ldb, stored_b(desc).cols);
    c = random_matrix(desc.ldc, desc.n);
    if (desc.routine == Routine::trsm) {
      // Small elements off the diagonal keep solutions from growing.
      for (float &x : a) x *= 0.1f;
      for (int64_t i = 0; i < desc.k; ++i) a[static_cast<size_t>(i * (desc.lda + 1))] = 1.25f;
    }
    desc.a = a.data();
    desc.b = stored_b(desc).rows > 0 ? b.data() : nullptr;
    desc.c = c.data();
  }

  void compute() {
    Error error = {};
    REQUIRE(cpu_scalar_1x1x1_naive(desc, {}, &error) == LIBSGEMM_SUCCESS);
  }

  float &at(int64_t i, int64_t j) { return c[static_cast<size_t>(i + j * desc.ldc)]; }

  bool writes(int64_t i, int64_t j) const {
    const Stored::Part part = stored_c(desc).part;
    return part == Stored::all || (part == Stored::upper ? i <= j : i >= j);
  }
};

}  // namespace verify_test

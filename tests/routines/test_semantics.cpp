// Rules of the reference BLAS beyond the formula.
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/catch.h"
#include "support/check.h"
#include "support/numbers.h"
#include "support/subject.h"

using namespace sgemm_test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void run(const Problem &problem, bool no_backend = false) {
  for (const libsgemm_layout_t layout : kLayouts) {
    Placement placement(problem, layout);
    INFO(describe(problem.test) << " layout " << layout);
    const libsgemm_status_t status = call(problem.test.routine, placement.args());
    const libsgemm_info_t info = last_info();
    INFO(info.message);
    REQUIRE(status == LIBSGEMM_SUCCESS);
    CHECK(std::string(info.backend) == (no_backend ? "none" : subject().backend));
    // Mode fp32 may sum in FP64 if that is faster.
    const std::string mode = info.math_mode;
    CHECK((no_backend || mode == "fp32" || mode == "fp64"));
    CHECK(placement.check(no_backend ? Arithmetic() : arithmetic_of(info)) == "");
  }
}

bool has_beta(Routine routine) { return routine != Routine::kStrmm && routine != Routine::kStrsm; }
bool has_b(Routine routine) { return has_beta(routine) && of_floats(routine) != Routine::kSsyrk; }
bool is_product(Routine routine) { return of_floats(routine) == Routine::kSgemm; }

}  // namespace

TEST_CASE("beta = 0 writes C without reading it") {
  for (const Routine routine : kSingleRoutines) {
    for (const int64_t size : {1, 7, 33, 130}) {
      for (const Inputs inputs : {Inputs::kExact, Inputs::kRandom}) {
        Case test = case_of(routine, size, size, size);
        test.inputs = inputs;
        run(make_problem(test));
        test.beta = -0.0f;
        run(make_problem(test));
      }
    }
  }
}

TEST_CASE("beta = 0 turns Inf in C into a number") {
  for (const Routine routine : kSingleRoutines) {
    if (!has_beta(routine)) continue;
    const Problem problem = make_problem(case_of(routine, 19, 19, 6));
    Placement placement(problem, LIBSGEMM_COL_MAJOR);
    for (int64_t i = 0; i < 19; ++i) {
      for (int64_t j = 0; j < 19; ++j) {
        if (contains(problem.c.region, i, j)) placement.c()[placement.index_in_c(i, j)] = -kInf;
      }
    }
    INFO(entry_name(routine));
    REQUIRE(call(routine, placement.args()) == LIBSGEMM_SUCCESS);
    CHECK(placement.check() == "");
  }
}

TEST_CASE("alpha = 0 and k = 0 scale C and need neither A nor B") {
  for (const Routine routine : kSingleRoutines) {
    for (const float beta : {0.0f, 1.0f, -1.0f, 3.0f}) {
      for (const bool null : {false, true}) {
        for (const bool no_k : {false, true}) {
          if (no_k && (!has_beta(routine) || routine == Routine::kSsymm)) continue;
          Case test = case_of(routine, 21, 21, no_k ? 0 : 21);
          test.alpha = no_k ? 1.0f : 0.0f;
          test.beta = has_beta(routine) ? beta : 0.0f;
          const Problem problem = make_problem(test);
          for (const libsgemm_layout_t layout : kLayouts) {
            Placement placement(problem, layout);
            Args args = placement.args();
            if (null) args.a = args.b = nullptr;
            INFO(describe(test) << " layout " << layout << " NULL " << null);
            REQUIRE(call(routine, args) == LIBSGEMM_SUCCESS);
            CHECK(std::string(last_info().backend) == "none");
            CHECK(placement.check() == "");
          }
        }
      }
    }
  }
}

TEST_CASE("beta = 1 with alpha = 0 leaves NaN, Inf, signed zeros and denormals in C as they are") {
  const float values[] = {kNan, float_of_bits(0x7fa12345u), kInf, -0.0f, FLT_MIN / 8, -1.5f};
  float c[6];
  std::memcpy(c, values, sizeof c);
  REQUIRE(libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 6, 1, 3, 0, nullptr, 6, nullptr, 3,
                         1, c, 6) == LIBSGEMM_SUCCESS);
  CHECK(std::memcmp(c, values, sizeof c) == 0);
}

TEST_CASE("NaN and Inf in C spread through beta") {
  for (const float alpha : {0.0f, 1.0f}) {
    Case test = case_of(Routine::kSgemm, 18, 9, 5);
    test.alpha = alpha;
    test.beta = -2;
    Problem problem = make_problem(test);
    problem.c.at(3, 4) = kNan;
    problem.c.at(17, 8) = kInf;
    solve(&problem);
    run(problem, alpha == 0);
  }
}

TEST_CASE("NaN and Inf in A and B spread by the definition, also where the partner is zero") {
  for (const Routine routine : kSingleRoutines) {
    if (!is_product(routine)) continue;
    for (const int64_t size : {3, 17, 66}) {
      for (const float special : {kNan, kInf, -kInf}) {
        for (int variant = 0; variant < 8; ++variant) {
          Case test = case_of(routine, size, size + 1, size + 2);
          test.transa = variant % 2 == 0 ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
          test.transb = (variant / 2) % 2 == 0 ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
          test.beta = variant / 4 == 0 ? 0.0f : 1.0f;
          Problem problem = make_problem(test);
          // The special element of A meets only zeros of B; that of B also meets zeros of A.
          problem.a.at(0, 0) = special;
          for (int64_t j = 0; j < problem.b.columns; ++j) {
            (test.transb == LIBSGEMM_NO_TRANS ? problem.b.at(0, j) : problem.b.at(std::min(j, problem.b.rows - 1), 0)) =
                0;
          }
          problem.b.at(problem.b.rows - 1, problem.b.columns - 1) = special;
          solve(&problem);
          run(problem);
        }
      }
    }
  }
}

TEST_CASE("a NaN in A spreads to what it enters, and no further") {
  for (const Routine routine : kSingleRoutines) {
    if (!has_parameter(routine, "uplo") || is_in_place(routine)) continue;
    for (const libsgemm_uplo_t uplo : {LIBSGEMM_UPPER, LIBSGEMM_LOWER}) {
      for (const int64_t size : {5, 40}) {
        Case test = case_of(routine, size, size, size);
        test.uplo = uplo;
        Problem problem = make_problem(test);
        // The reference BLAS skips zeros of A in syrk and syr2k, others do not.
        for (Matrix *x : {&problem.a, &problem.b}) {
          for (float &value : x->values) value = value == 0 ? 1.0f : value;
        }
        const bool below = uplo == LIBSGEMM_LOWER;
        problem.a.at(below ? size - 1 : 1, below ? 1 : size - 1) = kNan;
        solve(&problem);
        run(problem);
      }
    }
  }
}

TEST_CASE("a NaN in B of strmm and strsm stays in its column or row") {
  for (const Routine routine : {Routine::kStrmm, Routine::kStrsm}) {
    for (const libsgemm_side_t side : {LIBSGEMM_LEFT, LIBSGEMM_RIGHT}) {
      Case test = case_of(routine, 30, 30, 30);
      test.side = side;
      const Problem problem = make_problem(test);
      Placement placement(problem, LIBSGEMM_COL_MAJOR);
      placement.c()[placement.index_in_c(11, 11)] = kNan;
      INFO(describe(test));
      REQUIRE(call(routine, placement.args()) == LIBSGEMM_SUCCESS);
      CHECK(std::isnan(placement.c()[placement.index_in_c(11, 11)]));
      for (int64_t i = 0; i < 30; ++i) {
        for (int64_t j = 0; j < 30; ++j) {
          if ((side == LIBSGEMM_LEFT ? j : i) == 11) continue;
          REQUIRE(placement.c()[placement.index_in_c(i, j)] ==
                  static_cast<float>(problem.value[static_cast<size_t>(i * 30 + j)]));
        }
      }
    }
  }
}

TEST_CASE("a NaN in B of strsm does not reach what is solved before it") {
  constexpr int64_t kOrder = 30, kAt = 11;
  for (const libsgemm_side_t side : {LIBSGEMM_LEFT, LIBSGEMM_RIGHT}) {
    for (const libsgemm_uplo_t uplo : {LIBSGEMM_UPPER, LIBSGEMM_LOWER}) {
      Case test = case_of(Routine::kStrsm, kOrder, kOrder, kOrder);
      test.side = side;
      test.uplo = uplo;
      const Problem problem = make_problem(test);
      Placement placement(problem, LIBSGEMM_COL_MAJOR);
      placement.c()[placement.index_in_c(kAt, kAt)] = kNan;
      INFO(describe(test));
      REQUIRE(call(Routine::kStrsm, placement.args()) == LIBSGEMM_SUCCESS);
      const bool left = side == LIBSGEMM_LEFT, upwards = (uplo == LIBSGEMM_LOWER) == left;
      for (int64_t at = 0; at < kOrder; ++at) {
        if (upwards ? at >= kAt : at <= kAt) continue;
        const int64_t i = left ? at : kAt, j = left ? kAt : at;
        CHECK(placement.c()[placement.index_in_c(i, j)] ==
              static_cast<float>(problem.value[static_cast<size_t>(i * kOrder + j)]));
      }
    }
  }
}

TEST_CASE("strsm does not test for singularity") {
  for (const int64_t order : {1, 20}) {
    const Problem problem = make_problem(case_of(Routine::kStrsm, order, 2, order));
    Placement placement(problem, LIBSGEMM_COL_MAJOR);
    std::vector<float> zero(static_cast<size_t>(order * order), 0.0f);
    for (int64_t i = 1; i < order; ++i) zero[static_cast<size_t>(i * order + i)] = 1;
    Args args = placement.args();
    args.a = zero.data();
    args.lda = order;
    args.c[0] = 3;
    REQUIRE(call(Routine::kStrsm, args) == LIBSGEMM_SUCCESS);
    CHECK_FALSE(std::isfinite(args.c[0]));
  }
}

TEST_CASE("strsm of a diagonal that has no reciprocals in the range") {
  for (const float size : {0x1p-145f, 0x1p-140f, 0x1p-130f, 0x1p-120f, 0x1p110f}) {
    for (const int64_t order : {1, 2, 20, 70}) {
      for (const libsgemm_side_t side : {LIBSGEMM_LEFT, LIBSGEMM_RIGHT}) {
        Case test = case_of(Routine::kStrsm, order, order, order);
        test.side = side;
        const Problem problem = make_problem(test);
        Placement placement(problem, LIBSGEMM_COL_MAJOR);
        std::vector<float> a(static_cast<size_t>(order * order));
        for (int64_t i = 0; i < order; ++i) {
          for (int64_t j = 0; j < order; ++j) a[static_cast<size_t>(i + j * order)] = size * problem.a.at(i, j);
        }
        Args args = placement.args();
        args.a = a.data();
        args.lda = order;
        for (int64_t i = 0; i < order; ++i) {
          for (int64_t j = 0; j < order; ++j) args.c[placement.index_in_c(i, j)] *= size;
        }
        INFO(describe(test) << " times " << size);
        REQUIRE(call(Routine::kStrsm, args) == LIBSGEMM_SUCCESS);
        int wrong = 0;
        for (int64_t i = 0; i < order; ++i) {
          for (int64_t j = 0; j < order; ++j) {
            const double wanted = problem.value[static_cast<size_t>(i * order + j)];
            wrong += static_cast<double>(args.c[placement.index_in_c(i, j)]) != wanted ? 1 : 0;
          }
        }
        CHECK(wrong == 0);
      }
    }
  }
  // The reciprocal is below the normal range.
  float a = 3e38f, b = 3e38f;
  Args args;
  args.m = args.n = 1;
  args.a = &a;
  args.c = &b;
  REQUIRE(call(Routine::kStrsm, args) == LIBSGEMM_SUCCESS);
  CHECK(b == 1);
}

TEST_CASE("denormals are kept") {
  const float tiny = FLT_MIN / 64;
  for (const int64_t size : {1, 20, 70}) {
    Case test = case_of(Routine::kSgemm, size, size, size);
    test.beta = 1;
    Problem problem = make_problem(test);
    for (float &value : problem.a.values) value *= tiny;
    for (float &value : problem.c.values) value *= tiny;
    solve(&problem);
    run(problem);
    Case scale = case_of(Routine::kSgemm, size, size, 0);
    scale.beta = 3;
    Problem scaled = make_problem(scale);
    for (float &value : scaled.c.values) value *= tiny;
    solve(&scaled);
    run(scaled, true);
  }
}

TEST_CASE("denormals of the 16-bit types are kept") {
  for (const Routine routine : {Routine::kShgemm, Routine::kSbgemm, Routine::kShsyrk, Routine::kSbsyrk}) {
    for (const int64_t size : {1, 20, 70}) {
      Problem problem = make_problem(case_of(routine, size, size, size));
      const float unit = element_of(routine) == Element::kHalf ? std::ldexp(1.0f, -24) : std::ldexp(1.0f, -133);
      for (float &value : problem.a.values) value *= unit;
      solve(&problem);
      run(problem);
    }
  }
}

TEST_CASE("any alignment of the elements is accepted") {
  for (const Routine routine : kSingleRoutines) {
    for (int offset = 0; offset < 16; ++offset) {
      for (const int64_t size : {4, 16, 64}) {
        Case test = case_of(routine, size, size, size);
        test.offset = offset;
        test.padding = {offset, 0, 2 * offset};
        test.beta = has_beta(routine) ? 1.0f : 0.0f;
        run(make_problem(test));
      }
    }
  }
}

TEST_CASE("empty sizes with NULL pointers succeed") {
  for (const Routine routine : kSingleRoutines) {
    Args args;
    args.lda = args.ldb = args.ldc = 100;
    for (int empty = 0; empty < 3; ++empty) {
      args.m = empty == 0 ? 5 : 0;
      args.n = empty == 1 && !writes_triangle(routine) ? 5 : 0;
      args.k = 5;
      for (const libsgemm_layout_t layout : kLayouts) {
        args.layout = layout;
        INFO(entry_name(routine) << " m=" << args.m << " n=" << args.n);
        CHECK(call(routine, args) == LIBSGEMM_SUCCESS);
        CHECK(std::string(last_info().backend) == "none");
      }
    }
  }
}

TEST_CASE("the unread matrix may be NULL where the routine has none to read") {
  for (const Routine routine : kSingleRoutines) {
    if (!has_b(routine)) continue;
    Case test = case_of(routine, 6, 6, routine == Routine::kSsymm ? 6 : 0);
    test.alpha = 0;
    test.beta = 1;
    const Problem problem = make_problem(test);
    Placement placement(problem, LIBSGEMM_ROW_MAJOR);
    Args args = placement.args();
    args.b = nullptr;
    CHECK(call(routine, args) == LIBSGEMM_SUCCESS);
    CHECK(placement.check() == "");
  }
}

TEST_CASE("the same call gives the same bits") {
  for (const Routine routine : kSingleRoutines) {
    Case test = case_of(routine, 173, 173, 173);
    test.inputs = Inputs::kRandom;
    test.alpha = 0.7f;
    const Problem problem = make_problem(test);
    std::vector<float> first;
    for (int repeat = 0; repeat < 5; ++repeat) {
      Placement placement(problem, LIBSGEMM_COL_MAJOR);
      REQUIRE(call(routine, placement.args()) == LIBSGEMM_SUCCESS);
      const size_t count = static_cast<size_t>(placement.index_in_c(172, 172)) + 1;
      std::vector<float> result(placement.c(), placement.c() + count);
      if (repeat == 0) first = result;
      INFO(entry_name(routine));
      REQUIRE(std::memcmp(result.data(), first.data(), count * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("a thousand calls with a thousand handles") {
  const Problem problem = make_problem(case_of(Routine::kSgemm, 12, 13, 14));
  for (int i = 0; i < 1000; ++i) {
    Handle handle;
    Placement placement(problem, LIBSGEMM_COL_MAJOR);
    REQUIRE(call(Routine::kSgemm, handle, placement.args()) == LIBSGEMM_SUCCESS);
    REQUIRE(placement.check() == "");
    REQUIRE(std::string(last_info().backend) == subject().backend);
  }
}

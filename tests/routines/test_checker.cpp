#include <cmath>
#include <functional>
#include <limits>

#include "support/catch.h"
#include "support/check.h"
#include "support/numbers.h"

using namespace sgemm_test;

namespace {

Case case_of(Routine routine, int64_t m, int64_t n, int64_t k, Inputs inputs) {
  Case test;
  test.routine = routine;
  test.m = m;
  test.n = n;
  test.k = k;
  test.inputs = inputs;
  test.alpha = inputs == Inputs::kExact ? -2.0f : 0.7f;
  test.beta = inputs == Inputs::kExact ? 3.0f : -1.3f;
  return test;
}

Problem problem_without_zeros(const Case &test) {
  Problem problem = make_problem(test, 7);
  for (Matrix *x : {&problem.a, &problem.b, &problem.c}) {
    for (float &value : x->values) value = value == 0 ? 1.0f : value;
  }
  solve(&problem);
  return problem;
}

// The bound must accept FP32 sums in the plainest order.
float plain_sum(const Problem &p, int64_t i, int64_t j, int64_t terms) {
  float sum = 0;
  for (int64_t l = 0; l < terms; ++l) sum += p.a.at(i, l) * p.b.at(l, j);
  return p.test.alpha * sum + p.test.beta * p.c.at(i, j);
}

void write_sgemm(const Problem &p, Placement *placement) {
  for (int64_t i = 0; i < p.test.m; ++i) {
    for (int64_t j = 0; j < p.test.n; ++j) {
      placement->c()[placement->index_in_c(i, j)] = plain_sum(p, i, j, p.test.k);
    }
  }
}

void write_answer(const Problem &p, Placement *placement) {
  for (int64_t i = 0; i < p.c.rows; ++i) {
    for (int64_t j = 0; j < p.c.columns; ++j) {
      if (!contains(p.c.region, i, j)) continue;
      const double value = p.value[static_cast<size_t>(i * p.c.columns + j)];
      placement->c()[placement->index_in_c(i, j)] = static_cast<float>(value);
    }
  }
}

struct Fault {
  const char *name;
  std::function<void(const Problem &, Placement *)> seed;
};

float *element(Placement *placement, int64_t i, int64_t j) { return placement->c() + placement->index_in_c(i, j); }

const std::vector<Fault> &faults() {
  static const std::vector<Fault> list = {
      {"one element zeroed", [](const Problem &, Placement *x) { *element(x, 5, 7) = 0; }},
      {"last k term dropped in one element",
       [](const Problem &p, Placement *x) { *element(x, 5, 7) = plain_sum(p, 5, 7, p.test.k - 1); }},
      {"last k term dropped everywhere",
       [](const Problem &p, Placement *x) {
         for (int64_t i = 0; i < p.test.m; ++i) {
           for (int64_t j = 0; j < p.test.n; ++j) *element(x, i, j) = plain_sum(p, i, j, p.test.k - 1);
         }
       }},
      {"a row skipped",
       [](const Problem &p, Placement *x) {
         for (int64_t j = 0; j < p.test.n; ++j) *element(x, 3, j) = p.c.at(3, j);
       }},
      {"the last row zero",
       [](const Problem &p, Placement *x) {
         for (int64_t j = 0; j < p.test.n; ++j) *element(x, p.test.m - 1, j) = 0;
       }},
      {"the last column zero",
       [](const Problem &p, Placement *x) {
         for (int64_t i = 0; i < p.test.m; ++i) *element(x, i, p.test.n - 1) = 0;
       }},
      {"two elements swapped", [](const Problem &, Placement *x) { std::swap(*element(x, 2, 3), *element(x, 4, 3)); }},
      {"NaN for a number",
       [](const Problem &, Placement *x) { *element(x, 0, 0) = std::numeric_limits<float>::quiet_NaN(); }},
      {"infinity for a number",
       [](const Problem &, Placement *x) { *element(x, 6, 1) = std::numeric_limits<float>::infinity(); }},
      {"beta forgotten in one element",
       [](const Problem &p, Placement *x) { *element(x, 1, 1) -= p.test.beta * p.c.at(1, 1); }},
      {"the wrong sign", [](const Problem &, Placement *x) { *element(x, 8, 8) *= -1; }},
      {"padding overwritten with zero",
       [](const Problem &, Placement *x) {
         const bool columns = x->args().layout == LIBSGEMM_COL_MAJOR;
         x->c()[x->index_in_c(columns ? x->args().m : 0, columns ? 0 : x->args().n)] = 0;
       }},
      {"padding overwritten with another NaN",
       [](const Problem &, Placement *x) {
         const bool columns = x->args().layout == LIBSGEMM_COL_MAJOR;
         x->c()[x->index_in_c(columns ? x->args().m : 0, columns ? 0 : x->args().n)] = float_of_bits(0x7fc00000u);
       }},
      {"an input changed",
       [](const Problem &, Placement *x) { static_cast<float *>(const_cast<void *>(x->args().a))[0] += 1; }},
  };
  return list;
}

}  // namespace

TEST_CASE("the checker accepts right results and rejects seeded faults") {
  for (const Inputs inputs : {Inputs::kExact, Inputs::kRandom}) {
    for (const int64_t k : {3, 64, 1024}) {
      const Problem problem = problem_without_zeros(case_of(Routine::kSgemm, 33, 29, k, inputs));
      for (const libsgemm_layout_t layout : {LIBSGEMM_COL_MAJOR, LIBSGEMM_ROW_MAJOR}) {
        INFO(describe(problem.test) << " layout " << layout);
        Placement right(problem, layout);
        write_sgemm(problem, &right);
        CHECK(right.check() == "");
        for (const Fault &fault : faults()) {
          INFO(fault.name);
          Placement wrong(problem, layout);
          write_sgemm(problem, &wrong);
          fault.seed(problem, &wrong);
          CHECK(wrong.check() != "");
        }
      }
    }
  }
}

TEST_CASE("a result that was not written is rejected") {
  for (const Routine routine : kSingleRoutines) {
    for (const Inputs inputs : {Inputs::kExact, Inputs::kRandom}) {
      Case test = case_of(routine, 20, 20, 20, inputs);
      for (const float beta : {0.0f, 3.0f}) {
        test.beta = beta;
        const Problem problem = make_problem(test);
        Placement placement(problem, LIBSGEMM_COL_MAJOR);
        INFO(describe(test));
        CHECK(placement.check_untouched() == "");
        CHECK(placement.check() != "");
      }
    }
  }
}

TEST_CASE("the answer rounded to FP32 is accepted, and its neighbour rejected in exact cases") {
  for (const Routine routine : kSingleRoutines) {
    Case test = case_of(routine, 20, 20, 20, Inputs::kExact);
    test.uplo = LIBSGEMM_LOWER;
    const Problem problem = make_problem(test);
    INFO(describe(test));
    Placement placement(problem, LIBSGEMM_ROW_MAJOR);
    write_answer(problem, &placement);
    CHECK(placement.check() == "");
    float &last = *element(&placement, 19, 3);
    last = std::nextafter(last == 0 ? 1.0f : last, 1e9f);
    CHECK(placement.check() != "");
  }
}

TEST_CASE("a write to the other triangle is rejected") {
  for (const Routine routine : kSingleRoutines) {
    if (!writes_triangle(routine)) continue;
    for (const libsgemm_uplo_t uplo : {LIBSGEMM_UPPER, LIBSGEMM_LOWER}) {
      Case test = case_of(routine, 12, 12, 5, Inputs::kRandom);
      test.uplo = uplo;
      const Problem problem = make_problem(test);
      Placement placement(problem, LIBSGEMM_COL_MAJOR);
      write_answer(problem, &placement);
      INFO(describe(test));
      CHECK(placement.check() == "");
      *element(&placement, uplo == LIBSGEMM_UPPER ? 7 : 2, uplo == LIBSGEMM_UPPER ? 2 : 7) = 1;
      CHECK(placement.check() != "");
    }
  }
}

TEST_CASE("a wrong solution of a triangular system is rejected") {
  for (const int64_t order : {5, 64, 200}) {
    Case test = case_of(Routine::kStrsm, order, 3, order, Inputs::kRandom);
    test.beta = 0;
    const Problem problem = make_problem(test);
    Placement placement(problem, LIBSGEMM_COL_MAJOR);
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t i = order - 1; i >= 0; --i) {
        float x = test.alpha * problem.c.at(i, j);
        for (int64_t l = i + 1; l < order; ++l) x -= problem.a.at(i, l) * *element(&placement, l, j);
        *element(&placement, i, j) = x / problem.a.at(i, i);
      }
    }
    INFO(describe(test));
    CHECK(placement.check() == "");
    float &first = *element(&placement, 0, 1);
    const float right = first;
    first = right + problem.a.at(0, order - 1) * *element(&placement, order - 1, 1) / problem.a.at(0, 0);
    CHECK(placement.check() != "");  // without the last term
    first = 0;
    CHECK(placement.check() != "");
    first = std::numeric_limits<float>::quiet_NaN();
    CHECK(placement.check() != "");
    first = right;
    CHECK(placement.check() == "");
  }
}

TEST_CASE("guards around a buffer notice every byte") {
  for (const int offset : {0, 1, 3}) {
    for (const int position : {-128, -1, 40, 40 + 60}) {
      Buffer buffer(10, 4, offset);
      CHECK(reinterpret_cast<uintptr_t>(buffer.data()) % 64 == static_cast<uintptr_t>(offset) * 4);
      buffer.seal();
      CHECK(buffer.damage() == "");
      buffer.data()[position] = 0;
      CHECK(buffer.damage() != "");
      CHECK(buffer.damage(std::vector<bool>(10, true)) != "");
    }
  }
  Buffer buffer(10, 4, 0);
  buffer.seal();
  buffer.as<float>()[4] = 1;
  CHECK(buffer.damage() != "");
  std::vector<bool> writable(10, false);
  writable[4] = true;
  CHECK(buffer.damage(writable) == "");
}

TEST_CASE("NaN and Inf answer only themselves") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto accepts = [](float result, double value, double limit) {
    Matrix x;
    x.rows = x.columns = 1;
    x.region = Region::kAll;
    x.values = {result};
    return compare(x, {value}, {limit}).empty();
  };
  CHECK(accepts(nan, nan, 0));
  CHECK(accepts(inf, inf, 0));
  CHECK(accepts(0.0f, -0.0, 0));
  CHECK_FALSE(accepts(nan, 1, 1e30));
  CHECK_FALSE(accepts(1, nan, 1e30));
  CHECK_FALSE(accepts(inf, nan, 0));
  CHECK_FALSE(accepts(nan, inf, 0));
  CHECK_FALSE(accepts(-inf, inf, 0));
  CHECK_FALSE(accepts(inf, 1e30, std::numeric_limits<double>::infinity()));
  CHECK_FALSE(accepts(0, inf, 0));
}

TEST_CASE("what alpha takes out of the range and back is right, and nothing else") {
  struct Range {
    float a, b, alpha, result;  // one element: a sum of 20 equal products a * b
    bool right;
  };
  constexpr float inf = std::numeric_limits<float>::infinity();
  const Range ranges[] = {{0x1p-75f, 0x1p-75f, 0x1p100f, 0, true}, {0x1p-75f, 0x1p-75f, 0x1p100f, 0x1p-40f, false},
                          {1e25f, 1e25f, 1e-20f, inf, true},       {1e25f, 1e25f, 1e-20f, 20e30f, true},
                          {1e25f, 1e25f, 1e-20f, 21e30f, false},   {1e25f, 1e-30f, 1e20f, inf, true},
                          {1e-30f, 1e25f, 1e20f, inf, true},       {1e-30f, 1e25f, 1e20f, 1e15f, false},
                          {1e10f, 1e10f, 1e10f, inf, false},       {0x1p-100f, 0x1p120f, 0x1p-60f, 0, true},
                          {0x1p-60f, 0x1p-60f, 0x1p100f, 0, false}};
  for (const Range &range : ranges) {
    Case test = case_of(Routine::kSgemm, 1, 1, 20, Inputs::kRandom);
    test.alpha = range.alpha;
    test.beta = 0;
    Problem problem = make_problem(test);
    for (float &x : problem.a.values) x = range.a;
    for (float &x : problem.b.values) x = range.b;
    solve(&problem);
    Placement placement(problem, LIBSGEMM_COL_MAJOR);
    *placement.c() = range.result;
    INFO(range.a << " " << range.b << " " << range.alpha << " " << range.result);
    CHECK((placement.check() == "") == range.right);
    for (const Bound bound : {Bound::kSafe, Bound::kAny}) {
      double worst = 0;
      CHECK((placement.check({}, bound, 1e9, &worst) == "") == range.right);
    }
  }
}

TEST_CASE("16-bit conversions are those of the formats") {
  for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const auto h = static_cast<uint16_t>(bits);
    const float half = float_from_half(h);
    const float bfloat16 = float_from_bfloat16(h);
    if (!std::isnan(half)) REQUIRE(half_from_float(half) == h);
    if (!std::isnan(bfloat16)) REQUIRE(bfloat16_from_float(bfloat16) == h);
  }
  CHECK(float_from_half(0x3c00) == 1.0f);
  CHECK(float_from_half(0x0001) == std::ldexp(1.0f, -24));
  CHECK(float_from_half(0x7bff) == 65504.0f);
  CHECK(std::isinf(float_from_half(0xfc00)));
  CHECK(std::isnan(float_from_half(kPoison)));
  CHECK(half_from_float(65519.0f) == 0x7bff);
  CHECK(half_from_float(65520.0f) == 0x7c00);
  CHECK(half_from_float(1.0f + std::ldexp(1.0f, -11)) == 0x3c00);  // tie
  CHECK(half_from_float(1.0f + 3 * std::ldexp(1.0f, -11)) == 0x3c02);
  CHECK(std::isnan(float_from_half(half_from_float(NAN))));
  CHECK(bfloat16_from_float(1.0f + std::ldexp(1.0f, -8)) == 0x3f80);
  CHECK(bfloat16_from_float(1.0f + 3 * std::ldexp(1.0f, -8)) == 0x3f82);
  CHECK(std::isnan(float_from_bfloat16(kPoison)));
}

// Verification itself: every routine's right result passes, an error of any one element is found, and clean calls on
// every backend raise no alarm. Works on common/verify.h, below the API, so that results can be falsified in between.
#include "verify.h"

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "half.h"
#include "numbers.h"
#include "oracle.h"
#include "ref/ref.h"

using namespace libsgemm;

namespace {

std::mt19937 &generator() {
  static std::mt19937 g(20260101);
  return g;
}

std::vector<float> random_matrix(int64_t ld, int64_t cols) {
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> matrix(static_cast<size_t>(ld * cols));
  for (float &x : matrix) x = values(generator());
  return matrix;
}

// A description with memory of its own, C included.
struct Problem {
  GemmDesc desc = {};
  std::vector<float> a, b, c;

  Problem(Routine routine, int64_t m, int64_t n, int64_t k) {
    desc.routine = routine;
    const bool square = routine == Routine::syrk || routine == Routine::syr2k || routine == Routine::gemmtr;
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

  // After the options are set.
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
      // Small off the diagonal, or solutions grow beyond all bounds.
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

void check_all_errors_found(Problem *p) {
  p->fill();
  Snapshot before;
  REQUIRE(before.take(p->desc));
  p->compute();
  const double clean = verify_result(p->desc, &before, LIBSGEMM_VERIFY_FULL);
  INFO(to_string(p->desc) << ": ratio " << clean);
  CHECK(clean <= 1);
  CHECK(verify_result(p->desc, &before, LIBSGEMM_VERIFY_SAMPLE) <= clean);
  for (int64_t j = 0; j < p->desc.n; ++j) {
    for (int64_t i = 0; i < p->desc.m; ++i) {
      if (!p->writes(i, j)) continue;
      const float right = p->at(i, j);
      // A thousandth of the largest value there can be: far above the bound, and invisible in a norm of the matrix.
      for (const float wrong :
           {right + 1e-2f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        p->at(i, j) = wrong;
        INFO("element " << i << ", " << j << " is " << wrong << " instead of " << right);
        CHECK(verify_result(p->desc, &before, LIBSGEMM_VERIFY_FULL) > 1);
      }
      p->at(i, j) = right;
    }
  }
}

}  // namespace

TEST_CASE("an error in any element of any routine's result is found") {
  const Routine routine = GENERATE(Routine::gemm, Routine::symm, Routine::syrk, Routine::syr2k, Routine::trmm,
                                   Routine::trsm, Routine::gemmtr);
  for (const libsgemm_op_t op : {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS}) {
    for (const libsgemm_uplo_t uplo : {LIBSGEMM_UPPER, LIBSGEMM_LOWER}) {
      for (const libsgemm_side_t side : {LIBSGEMM_LEFT, LIBSGEMM_RIGHT}) {
        for (const libsgemm_diag_t diag : {LIBSGEMM_NON_UNIT, LIBSGEMM_UNIT}) {
          Problem p(routine, 6, 9, 5);
          p.desc.transa = op;
          p.desc.transb = side == LIBSGEMM_LEFT ? op : LIBSGEMM_TRANS;
          p.desc.uplo = uplo;
          p.desc.side = side;
          p.desc.diag = diag;
          check_all_errors_found(&p);
        }
      }
    }
  }
}

TEST_CASE("an error is found in any product of a batch") {
  Problem first(Routine::gemm, 4, 5, 3), second(Routine::gemm, 4, 5, 3);
  first.fill();
  second.fill();
  const void *as[] = {first.desc.a, second.desc.a}, *bs[] = {first.desc.b, second.desc.b};
  float *cs[] = {first.desc.c, second.desc.c};
  GemmDesc batch = first.desc;
  batch.batch = Batch::pointers;
  batch.batch_count = 2;
  batch.a_array = as;
  batch.b_array = bs;
  batch.c_array = cs;
  Snapshot before;
  REQUIRE(before.take(batch));
  first.compute();
  second.compute();
  CHECK(verify_result(batch, &before, LIBSGEMM_VERIFY_FULL) <= 1);
  second.at(3, 4) += 1e-2f;
  CHECK(verify_result(batch, &before, LIBSGEMM_VERIFY_FULL) > 1);
  before.restore(batch);
  first.compute();
  second.compute();
  CHECK(verify_result(batch, &before, LIBSGEMM_VERIFY_FULL) <= 1);
}

TEST_CASE("a result is right in the arithmetic it was computed in, and in no other") {
  const libsgemm_math_mode_t modes[] = {LIBSGEMM_MATH_FP32, LIBSGEMM_MATH_TF32, LIBSGEMM_MATH_BF16, LIBSGEMM_MATH_FP16};
  for (const libsgemm_math_mode_t ran : modes) {
    for (const libsgemm_op_t op : {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS}) {
      Problem p(Routine::gemm, 20, 30, 40);
      p.desc.transa = p.desc.transb = op;
      p.fill();
      p.a[1] = 7e4f;  // beyond FP16
      const std::vector<float> a = p.a, b = p.b;
      Snapshot before;
      REQUIRE(before.take(p.desc));
      for (std::vector<float> *x : {&p.a, &p.b}) {
        for (float &value : *x) value = sgemm_test::as_input(ran, value);
      }
      p.compute();
      p.a = a;
      p.b = b;
      p.desc.a = p.a.data();
      p.desc.b = p.b.data();
      for (const libsgemm_math_mode_t judged : modes) {
        INFO(math_mode_name(ran) << " judged as " << math_mode_name(judged));
        CHECK((verify_result(p.desc, &before, LIBSGEMM_VERIFY_FULL, {judged, false}) <= 1) == (judged == ran));
      }
    }
  }
}

TEST_CASE("rows that truncate, and parts of inputs, have bounds of their own") {
  using Arithmetic = libsgemm::Arithmetic;
  const int64_t k = 4096;
  Problem p(Routine::gemm, 1, 1, k);
  p.desc.alpha = 1;
  p.desc.beta = 0;
  p.fill();
  for (float &x : p.a) x = 1;
  for (float &x : p.b) x = 1;
  const auto ratio = [&](float c, Arithmetic how) {
    p.at(0, 0) = c;
    return verify_result(p.desc, nullptr, LIBSGEMM_VERIFY_FULL, how);
  };
  const double size = static_cast<double>(k), fp32 = 2 * std::sqrt(size + 2) * 0x1p-24 * size;
  const float off = 4096 + 0.125f;
  const auto is = [](double wanted) { return Approx(0.125 / wanted); };
  CHECK(ratio(off, {}) == is(fp32));
  CHECK(ratio(off, {LIBSGEMM_MATH_FP32, true}) == is(fp32 + (256 + 1) * 0x1p-23 * size));
  CHECK(ratio(off, {LIBSGEMM_MATH_TF32, true}) == is(fp32 + (512 + 1) * 0x1p-23 * size));
  CHECK(ratio(off, {LIBSGEMM_MATH_BF16X6, false}) == is(fp32 + 4 * 0x1p-24 * size));
  CHECK(ratio(off, {LIBSGEMM_MATH_FP16X3, false}) == is(fp32 + 8 * 0x1p-24 * size));
  // One large element in the row of A, which B does not see: the others lose bits below it in FP16X3 only.
  for (int64_t l = 0; l < k; ++l) p.a[static_cast<size_t>(l * p.desc.lda)] = 0x1p-60f;
  p.a[0] = 1;
  p.b[0] = 0;
  CHECK(ratio(0, {}) > 1);
  CHECK(ratio(0, {LIBSGEMM_MATH_BF16X6, false}) > 1);
  CHECK(ratio(0, {LIBSGEMM_MATH_FP16X3, false}) < 1);
}

TEST_CASE("the library rounds as the tests do") {
  const auto check = [](uint32_t bits) {
    const float x = sgemm_test::float_of_bits(bits);
    for (const libsgemm_math_mode_t mode : {LIBSGEMM_MATH_TF32, LIBSGEMM_MATH_BF16, LIBSGEMM_MATH_FP16}) {
      const float ours = rounded(x, mode), wanted = sgemm_test::as_input(mode, x);
      if (std::isnan(x) && std::isnan(ours)) continue;
      if (sgemm_test::bits_of(ours) == sgemm_test::bits_of(wanted)) continue;
      INFO(math_mode_name(mode) << " of " << bits << ": " << ours << ", expected " << wanted);
      FAIL_CHECK();
    }
  };
  // Every upper half with the lower halves around the ties, and random numbers.
  for (uint32_t high = 0; high < 0x10000u; ++high) {
    for (const uint32_t low : {0u, 1u, 0x0fffu, 0x1000u, 0x1001u, 0x1fffu, 0x2fffu, 0x3000u, 0x3001u, 0x7fffu, 0x8000u,
                               0x8001u, 0xefffu, 0xf000u, 0xf001u, 0xffffu}) {
      check(high << 16 | low);
    }
  }
  for (int i = 0; i < 1000000; ++i) check(static_cast<uint32_t>(generator()()));
}

TEST_CASE("a sample finds an error in a row that it draws, and draws every row in time") {
  Problem p(Routine::gemm, 40, 40, 8);
  p.fill();
  Snapshot before;
  REQUIRE(before.take(p.desc));
  p.compute();
  p.at(13, 29) += 1e-2f;
  int found = 0;
  const int calls = 2000;
  for (int i = 0; i < calls; ++i) found += verify_result(p.desc, &before, LIBSGEMM_VERIFY_SAMPLE) > 1 ? 1 : 0;
  // Four of 40 columns and four of 40 rows, with repetition: 1 - (39/40)^8 = 0.183 of the calls.
  CHECK(found > calls * 0.14);
  CHECK(found < calls * 0.23);
}

TEST_CASE("special values are no alarm where the definition gives them, and one where it does not") {
  Problem p(Routine::gemm, 5, 6, 4);
  p.fill();
  p.a[2] = std::numeric_limits<float>::infinity();
  p.b[1] = std::numeric_limits<float>::quiet_NaN();
  Snapshot before;
  REQUIRE(before.take(p.desc));
  p.compute();
  CHECK(verify_result(p.desc, &before, LIBSGEMM_VERIFY_FULL) <= 1);
  p.at(2, 3) = 1;  // where the Inf of A must show
  CHECK(verify_result(p.desc, &before, LIBSGEMM_VERIFY_FULL) > 1);
}

TEST_CASE("a singular triangle gives infinities without an alarm") {
  for (const libsgemm_side_t side : {LIBSGEMM_LEFT, LIBSGEMM_RIGHT}) {
    Problem p(Routine::trsm, 7, 7, 7);
    p.desc.side = side;
    p.fill();
    p.a[static_cast<size_t>(3 * (p.desc.lda + 1))] = 0;
    Snapshot before;
    REQUIRE(before.take(p.desc));
    p.compute();
    CHECK(verify_result(p.desc, &before, LIBSGEMM_VERIFY_FULL) <= 1);
    REQUIRE_FALSE(std::isfinite(p.at(3, 3)));
    p.at(3, 3) = 1;
    CHECK(verify_result(p.desc, &before, LIBSGEMM_VERIFY_FULL) > 1);
  }
}

TEST_CASE("no false alarm on clean calls of every CPU backend") {
  libsgemm_handle_t h = nullptr;
  REQUIRE(libsgemm_create(&h) == LIBSGEMM_SUCCESS);
  double worst = 0;
  int calls = 0;
  for (const char *backend : {"openblas", "ref"}) {
    REQUIRE(libsgemm_set_backend(h, backend) == LIBSGEMM_SUCCESS);
    for (const libsgemm_verify_t mode : {LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_FULL}) {
      REQUIRE(libsgemm_set_verify(h, mode, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
      for (int64_t n = 1; n < 120; n += 7) {
        Problem p(Routine::gemm, n, n + 3, 2 * n);
        p.fill();
        const GemmDesc &d = p.desc;
        REQUIRE(libsgemm_sgemm_h(h, LIBSGEMM_COL_MAJOR, d.transa, d.transb, d.m, d.n, d.k, d.alpha, p.a.data(), d.lda,
                                 p.b.data(), d.ldb, d.beta, d.c, d.ldc) == LIBSGEMM_SUCCESS);
        Problem t(Routine::trsm, n, n + 3, n);
        t.fill();
        REQUIRE(libsgemm_strsm_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_UPPER, LIBSGEMM_NO_TRANS,
                                 LIBSGEMM_NON_UNIT, t.desc.m, t.desc.n, t.desc.alpha, t.a.data(), t.desc.lda, t.desc.c,
                                 t.desc.ldc) == LIBSGEMM_SUCCESS);
        libsgemm_info_t info;
        REQUIRE(libsgemm_last_info(&info) == LIBSGEMM_SUCCESS);
        REQUIRE(info.verify_ratio >= 0);
        worst = std::max(worst, info.verify_ratio);
        calls += 2;
      }
    }
  }
  INFO("worst ratio of " << calls << " calls: " << worst);
  CHECK(worst <= 1);
  CHECK(libsgemm_destroy(h) == LIBSGEMM_SUCCESS);
}

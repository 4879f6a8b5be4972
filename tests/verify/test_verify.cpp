// Calls verify/verify.h below the API, where results can be falsified.
#include "verify/error_contract.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "contract/half.h"
#include "support/catch.h"
#include "support/numbers.h"
#include "support/oracle.h"
#include "verify_problem.h"

using namespace libsgemm;
using namespace verify_test;

namespace {

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
      // A thousandth of the largest possible value is far above the bound, but too small for a norm of C to show it.
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
  const Routine routine = GENERATE(from_range(all_routines()));
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
  const Routine routine = GENERATE(Routine::gemm, Routine::syrk, Routine::trmm, Routine::trsm);
  Problem first(routine, 4, 5, 3), second(routine, 4, 5, 3);
  first.fill();
  second.fill();
  const void *as[] = {first.desc.a, second.desc.a}, *bs[] = {first.desc.b, second.desc.b};
  float *cs[] = {first.desc.c, second.desc.c};
  GemmDesc batch = first.desc;
  batch.batch = Batch::pointers;
  batch.batch_count = 2;
  batch.a_array = as;
  batch.b_array = first.desc.b != nullptr ? bs : nullptr;
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
  std::vector<libsgemm_math_mode_t> modes = {LIBSGEMM_MATH_FP32};
  std::copy_if(sgemm_test::kOtherModes.begin(), sgemm_test::kOtherModes.end(), std::back_inserter(modes),
               sgemm_test::rounds);
  for (const libsgemm_math_mode_t ran : modes) {
    for (const libsgemm_op_t op : {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS}) {
      Problem p(Routine::gemm, 20, 30, 40);
      p.desc.transa = p.desc.transb = op;
      p.fill();
      p.a[1] = 7e4f;  // above FP16's range
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

TEST_CASE("kernels that truncate, and parts of inputs, have bounds of their own") {
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
  const double size = static_cast<double>(k), fp32 = 4 * std::sqrt(size + 2) * 0x1p-24 * size;
  const float off = 4096 + 0.125f;
  const auto is = [](double wanted) { return Approx(0.125 / wanted); };
  CHECK(ratio(off, {}) == is(fp32));
  CHECK(ratio(off, {LIBSGEMM_MATH_FP32, true}) == is(fp32 + (256 + 1) * 0x1p-23 * size));
  CHECK(ratio(off, {LIBSGEMM_MATH_TF32, true}) == is(fp32 + (512 + 1) * 0x1p-23 * size));
  CHECK(ratio(off, {LIBSGEMM_MATH_BF16X6, false}) == is(fp32 + 4 * 0x1p-24 * size));
  CHECK(ratio(off, {LIBSGEMM_MATH_FP16X3, false}) == is(fp32 + 8 * 0x1p-24 * size));
  // A's row has one large element, multiplied by zero: only FP16X3 then loses others' low bits.
  for (int64_t l = 0; l < k; ++l) p.a[static_cast<size_t>(l * p.desc.lda)] = 0x1p-60f;
  p.a[0] = 1;
  p.b[0] = 0;
  CHECK(ratio(0, {}) > 1);
  CHECK(ratio(0, {LIBSGEMM_MATH_BF16X6, false}) > 1);
  CHECK(ratio(0, {LIBSGEMM_MATH_FP16X3, false}) < 1);
  p.a[0] = 0x1p100f;  // BF16X6 scales rows, too
  CHECK(ratio(0, {}) > 1);
  CHECK(ratio(0, {LIBSGEMM_MATH_BF16X6, false}) < 1);
}

TEST_CASE("the library rounds as the tests do") {
  const auto check = [](uint32_t bits) {
    const float x = sgemm_test::float_of_bits(bits);
    for (const libsgemm_math_mode_t mode : sgemm_test::kOtherModes) {
      const float ours = rounded(x, mode), wanted = sgemm_test::as_input(mode, x);
      if (std::isnan(x) && std::isnan(ours)) continue;
      if (sgemm_test::bits_of(ours) == sgemm_test::bits_of(wanted)) continue;
      INFO(math_mode_name(mode) << " of " << bits << ": " << ours << ", expected " << wanted);
      FAIL_CHECK();
    }
  };
  // Checks all upper halves of the bits with lower halves around ties, and random numbers.
  for (uint32_t high = 0; high < 0x10000u; ++high) {
    for (const uint32_t low : {0u, 1u, 0x0fffu, 0x1000u, 0x1001u, 0x1fffu, 0x2fffu, 0x3000u, 0x3001u, 0x7fffu, 0x8000u,
                               0x8001u, 0xefffu, 0xf000u, 0xf001u, 0xffffu}) {
      check(high << 16 | low);
    }
  }
  for (int i = 0; i < 1000000; ++i) check(static_cast<uint32_t>(generator()()));
}

TEST_CASE("the checksum finds an error in any routine's result") {
  const Routine routine = GENERATE(from_range(all_routines()));
  for (const libsgemm_op_t op : {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS}) {
    for (const libsgemm_uplo_t uplo : {LIBSGEMM_UPPER, LIBSGEMM_LOWER}) {
      for (const libsgemm_side_t side : {LIBSGEMM_LEFT, LIBSGEMM_RIGHT}) {
        Problem p(routine, 71, 40, 37);
        p.desc.transa = op;
        p.desc.transb = side == LIBSGEMM_LEFT ? op : LIBSGEMM_TRANS;
        p.desc.uplo = uplo;
        p.desc.side = side;
        p.fill();
        Snapshot before;
        REQUIRE(before.take(p.desc));
        p.compute();
        const ErrorContract contract = libsgemm::error_contract(p.desc, before.item(0), {});
        for (const ErrorContract &c : {contract, contract.transposed()}) {
          INFO(to_string(p.desc));
          for (uint64_t seed = 0; seed < 20; ++seed) CHECK(worst_of_sums(c, seed) < 1);
          for (int64_t j = 1; j < p.desc.n; j += 7) {
            for (const int64_t i : {int64_t{0}, j / 2, j, p.desc.m - 1}) {
              if (!p.writes(i, j)) continue;
              const float right = p.at(i, j);
              p.at(i, j) += 1e-2f;
              CHECK(worst_of_sums(c, 5) > 1);
              p.at(i, j) = right;
            }
          }
        }
      }
    }
  }
}

TEST_CASE("many threads verify as one does") {
  Problem p(Routine::gemm, 300, 290, 310);
  p.fill();
  Snapshot before;
  REQUIRE(before.take(p.desc));
  p.compute();
  const double clean = verify_result(p.desc, &before, LIBSGEMM_VERIFY_FULL);
  CHECK(clean <= 1);
  const ErrorContract contract = libsgemm::error_contract(p.desc, before.item(0), {});
  double columns = 0;
  for (int64_t j = 0; j < p.desc.n; ++j) columns = std::max(columns, worst_of_column(contract, j));
  CHECK(clean == Approx(columns));
  p.at(299, 289) += 1e-2f;
  CHECK(verify_result(p.desc, &before, LIBSGEMM_VERIFY_FULL) > 1);
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
  p.at(2, 3) = 1;  // must be Inf or NaN: A has an Inf
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

TEST_CASE("NaN and Inf hide no error elsewhere") {
  std::vector<Routine> routines = all_routines();
  routines.push_back(Routine::gemm);
  constexpr float kSpecial[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity()};
  std::mt19937 &draw = generator();
  int products = 0, found = 0, spread = 0, found_spread = 0;
  for (int trial = 0; trial < 1600; ++trial) {
    const bool wide = draw() % 2 == 0;
    Problem p(routines[static_cast<size_t>(trial) % routines.size()], wide ? 33 : 44, wide ? 44 : 33, 21);
    p.desc.transa = draw() % 2 == 0 ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
    p.desc.transb = draw() % 2 == 0 ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
    p.desc.side = draw() % 2 == 0 ? LIBSGEMM_LEFT : LIBSGEMM_RIGHT;
    p.desc.uplo = draw() % 2 == 0 ? LIBSGEMM_UPPER : LIBSGEMM_LOWER;
    p.fill();
    if (p.desc.routine == Routine::gemm && draw() % 2 == 0) p.desc.beta = 0;
    for (std::vector<float> *x : {&p.a, &p.b, &p.c}) {
      if (x->empty()) continue;
      const int count = draw() % 3 == 0 ? static_cast<int>(draw() % 4) : static_cast<int>(draw() % 2);
      for (int i = 0; i < count; ++i) (*x)[draw() % x->size()] = kSpecial[draw() % 3];
    }
    Snapshot before;
    REQUIRE(before.take(p.desc));
    p.compute();
    const uint64_t seed = draw();
    INFO("trial " << trial << ": " << to_string(p.desc));
    const double clean = verify_result(p.desc, &before, LIBSGEMM_VERIFY_SAMPLE, {}, seed);
    CHECK(clean >= 0);
    CHECK(clean <= 1);
    const int64_t i = static_cast<int64_t>(draw() % static_cast<uint32_t>(p.desc.m));
    const int64_t j = static_cast<int64_t>(draw() % static_cast<uint32_t>(p.desc.n));
    if (!p.writes(i, j)) continue;
    const bool finite = std::isfinite(p.at(i, j));
    INFO("element " << i << ", " << j << " was " << p.at(i, j));
    p.at(i, j) = sgemm_test::float_of_bits(sgemm_test::bits_of(p.at(i, j)) ^ 1u << 30);
    const bool alarm = verify_result(p.desc, &before, LIBSGEMM_VERIFY_SAMPLE, {}, seed) > 1;
    (finite ? products : spread) += 1;
    (finite ? found : found_spread) += alarm ? 1 : 0;
    CHECK(alarm);
  }
  CHECK(products > 1000);
  CHECK(found == products);
  CHECK(spread > 50);
  INFO(found_spread << " of " << spread);
  CHECK(found_spread == spread);
}

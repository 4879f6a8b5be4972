// Verification at the ends of FP32's range. A BLAS may apply alpha at any point.
#include <cmath>
#include <limits>
#include <vector>

#include "matrix/product.h"
#include "verify_problem.h"

using namespace libsgemm;
using namespace verify_test;

namespace {

enum class Order { alpha_last, alpha_times_x, alpha_times_y };
constexpr Order kOrders[] = {Order::alpha_last, Order::alpha_times_x, Order::alpha_times_y};

// Scales of A, B, C, and scalars.
struct Range {
  float a, b, alpha, c, beta;
};

const std::vector<Range> &ranges() {
  static const std::vector<Range> list = {
      {0x1p-75f, 0x1p-75f, 0x1p100f, 0, 0},  // products underflow before alpha
      {0x1p-75f, 0x1p-74f, -1.1f * 0x1p120f, 1e-20f, 0.3f},
      {1e25f, 1e25f, 1e-20f, 0, 0},  // products overflow before alpha
      {1e25f, 1e25f, 1e-20f, 1, -2},
      {1e25f, 1e-30f, 1e20f, 1, -2},                  // alpha A overflows, alpha last does not
      {1e-30f, 1e25f, 1e20f, 1, -2},                  // alpha B overflows
      {0x1p-100f, 0x1p120f, 1.1f * 0x1p-49f, 0, 0},   // alpha A underflows
      {0x1p120f, 0x1p-100f, 1.1f * 0x1p-49f, 0, 0},   // alpha B underflows
      {0x1p-140f, 0x1p20f, 1.5f, 0, 0},               // denormal operands
      {0x1p-140f, 0x1p-140f, 1.5f, 0x1p-140f, 0.7f},  // products vanish
      {1e19f, 1e19f, 3, 1e25f, 1e20f},                // beta C overflows
      {1e-19f, 1e-25f, 0.7f, 1e-25f, 1e-19f},         // beta C underflows
      {1e30f, 1e30f, 1, 0, 0},
      {1e-30f, 1e-12f, 1, 0, 0},
      {1, 1, 0x1p-140f, 0, 0},  // alpha is denormal
      {1, 1, 3e38f, 1e30f, 0.5f},
  };
  return list;
}

void scale(std::vector<float> *x, float by) {
  for (float &value : *x) value *= by;
}

Problem problem_of(Routine routine, const Range &range, int variant) {
  Problem p(routine, 12, 11, 13);
  p.desc.transa = variant % 2 == 0 ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
  p.desc.transb = variant / 2 % 2 == 0 ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
  p.desc.side = variant / 2 % 2 == 0 ? LIBSGEMM_LEFT : LIBSGEMM_RIGHT;
  p.desc.uplo = variant % 2 == 0 ? LIBSGEMM_UPPER : LIBSGEMM_LOWER;
  p.fill();
  scale(&p.a, range.a);
  scale(&p.b, range.b);
  // In trmm and trsm C holds the second factor.
  const bool in_c = routine == Routine::trmm || routine == Routine::trsm;
  scale(&p.c, in_c ? range.b : range.c);
  p.desc.alpha = range.alpha;
  if (!in_c) p.desc.beta = range.beta;
  p.desc.a = p.a.data();
  p.desc.b = stored_b(p.desc).rows > 0 ? p.b.data() : nullptr;
  p.desc.c = p.c.data();
  return p;
}

// FP32, alpha where `order` says.
void multiply(const GemmDesc &d, const float *before, Order order) {
  const Products all = products(d, before, d.m);
  const Output &out = all.out;
  const int64_t m = all.term[0].m, n = all.term[0].n;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = out.first_row(j); i < out.last_row(j, m); ++i) {
      float sum = 0;
      for (int t = 0; t < all.count; ++t) {
        const Product &p = all.term[t];
        const Span span = p.span(i, j);
        for (int64_t l = span.first; l < span.last; ++l) {
          volatile float x = p.x.at(i, l), y = p.y.at(l, j);  // keeps the order
          if (order == Order::alpha_times_x) x = x * d.alpha;
          if (order == Order::alpha_times_y) y = y * d.alpha;
          sum += x * y;
        }
      }
      if (order == Order::alpha_last) sum = d.alpha * sum;
      const bool reads = reads_c(d) && d.routine != Routine::trmm;
      *out.at(i, j) = reads ? sum + d.beta * before[i + j * d.m] : sum;
    }
  }
}

// Substitution with divisions or reciprocals, alpha first or last.
void solve(const GemmDesc &d, Order order, bool reciprocals) {
  const Products all = products(d, d.c, d.ldc);
  const bool left = d.side == LIBSGEMM_LEFT;
  const View t = left ? all.term[0].x : all.term[0].y.transposed();
  const Output out = left ? all.out : all.out.transposed();
  const int64_t n = d.k, columns = left ? d.n : d.m;
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = t.upper ? n - 1 - step : step;
      volatile float sum = *out.at(i, j);
      if (order != Order::alpha_last) sum = sum * d.alpha;
      for (int64_t l = t.upper ? i + 1 : 0; l < (t.upper ? n : i); ++l) sum = sum - t.at(i, l) * *out.at(l, j);
      volatile float reciprocal = 1 / t.at(i, i);
      *out.at(i, j) = reciprocals ? sum * reciprocal : sum / t.at(i, i);
    }
    for (int64_t i = 0; i < n && order == Order::alpha_last; ++i) *out.at(i, j) *= d.alpha;
  }
}

double sample(const GemmDesc &d, const Snapshot &before) {
  double worst = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    worst = std::max(worst, verify_result(d, &before, LIBSGEMM_VERIFY_SAMPLE, {}, seed));
  }
  return worst;
}

double full(const GemmDesc &d, const Snapshot &before) { return verify_result(d, &before, LIBSGEMM_VERIFY_FULL); }

}  // namespace

TEST_CASE("right results at the ends of the range raise no alarm, in whatever order alpha was applied") {
  const Routine routine = GENERATE(from_range(all_routines()));
  if (routine == Routine::trsm) return;
  for (size_t at = 0; at < ranges().size(); ++at) {
    for (int variant = 0; variant < 4; ++variant) {
      Problem p = problem_of(routine, ranges()[at], variant);
      Snapshot before;
      REQUIRE(before.take(p.desc));
      for (const Order order : kOrders) {
        multiply(p.desc, before.item(0), order);
        INFO(to_string(p.desc) << " range " << at << " order " << static_cast<int>(order));
        CHECK(full(p.desc, before) <= 1);
        CHECK(sample(p.desc, before) <= 1);
        before.restore(p.desc);
      }
    }
  }
}

TEST_CASE("right solutions at the ends of the range raise no alarm, wherever alpha was applied") {
  const std::vector<Range> list = {
      {0x1p100f, 0x1p-40f, 1, 0, 0},  // solutions underflow
      {0x1p100f, 0x1p-40f, 1.3f, 0, 0},
      {1e30f, 1e30f, 1e20f, 0, 0},          // alpha B overflows
      {1e-20f, 1e25f, 1e-20f, 0, 0},        // B / A overflows
      {1e-30f, 1e25f, 1, 0, 0},             // so does the right solution
      {0x1p30f, 0x1p-110f, 0x1p90f, 0, 0},  // B / A underflows
      {0x1p-120f, 0x1p-100f, 1.3f * 0x1p-49f, 0, 0},
      {3e38f, 1e30f, 0.7f, 0, 0},    // the reciprocal is denormal
      {1e-39f, 1e-30f, 0.7f, 0, 0},  // the reciprocal is infinite
  };
  for (size_t at = 0; at < list.size(); ++at) {
    for (int variant = 0; variant < 4; ++variant) {
      Problem p = problem_of(Routine::trsm, list[at], variant);
      Snapshot before;
      REQUIRE(before.take(p.desc));
      for (const Order order : {Order::alpha_last, Order::alpha_times_y}) {
        for (const bool reciprocals : {false, true}) {
          solve(p.desc, order, reciprocals);
          INFO(to_string(p.desc) << " range " << at << " order " << static_cast<int>(order) << " " << reciprocals);
          const bool wrong = reciprocals && list[at].a < 1e-38f;  // Inf for a finite solution
          CHECK((full(p.desc, before) > 1) == wrong);
          CHECK((sample(p.desc, before) > 1) == wrong);
          before.restore(p.desc);
        }
      }
    }
  }
}

TEST_CASE("wrong results at the ends of the range are still found") {
  const Routine routine = GENERATE(from_range(all_routines()));
  if (routine == Routine::trsm) return;
  // Results are in range, and some order loses no bits. Each element is made wrong by a 64th.
  const std::vector<Range> finite = {{0x1p-60f, 0x1p-60f, 0x1p100f, 0, 0}, {1e25f, 1e-30f, 1e20f, 1, -2},
                                     {1e-30f, 1e25f, 1e20f, 1, -2},        {0x1p-90f, 0x1p110f, 1.1f * 0x1p-25f, 0, 0},
                                     {1e25f, 1e25f, 1e-20f, 0, 0},         {1, 1, 3e30f, 1e25f, 0.5f}};
  for (const Range &range : finite) {
    if (routine == Routine::syrk && range.a != range.b) continue;  // both factors are A
    for (int variant = 0; variant < 4; ++variant) {
      Problem p = problem_of(routine, range, variant);
      Snapshot before;
      REQUIRE(before.take(p.desc));
      // The order that stays in range.
      const bool first = range.a * range.b > 1e38f || range.alpha < 1;
      multiply(p.desc, before.item(0), first && range.b > 1e10f ? Order::alpha_times_y : Order::alpha_last);
      int64_t wrong = 0, found = 0;
      for (int64_t j = 0; j < p.desc.n; ++j) {
        for (int64_t i = 0; i < p.desc.m; ++i) {
          if (!p.writes(i, j)) continue;
          const float right = p.at(i, j);
          REQUIRE(std::isfinite(right));
          // There are up to 26 terms of up to three times the scales.
          const auto size = static_cast<float>(std::fabs(static_cast<double>(range.alpha)) *
                                               static_cast<double>(range.a) * static_cast<double>(range.b));
          for (const float error : {size / 64 + range.c / 64, std::fabs(right) * 2 + size}) {
            p.at(i, j) = right + error;
            ++wrong;
            found += full(p.desc, before) > 1 ? 1 : 0;
          }
          p.at(i, j) = right;
        }
      }
      INFO(to_string(p.desc) << " found " << found << " of " << wrong);
      CHECK(wrong > 0);
      CHECK(found == wrong);
    }
  }
}

TEST_CASE("a finite number where every order overflows is found, and Inf where none does") {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  for (const libsgemm_verify_t mode : {LIBSGEMM_VERIFY_FULL, LIBSGEMM_VERIFY_SAMPLE}) {
    // SAMPLE checks some columns: all elements are wrong.
    const auto wrong = [&](const Range &range, float value) {
      Problem p = problem_of(Routine::gemm, range, 0);
      for (float &x : p.a) x = range.a;  // no sum is 0
      for (float &x : p.b) x = range.b;
      Snapshot before;
      REQUIRE(before.take(p.desc));
      for (float &x : p.c) x = value;
      return verify_result(p.desc, &before, mode) > 1;
    };
    CHECK(wrong({1e25f, 1e25f, 1e-20f, 0, 0}, 1));  // Inf or 1e31
    CHECK(wrong({1e30f, 1e30f, 1, 0, 0}, 1e38f));   // Inf
    CHECK(wrong({1e30f, 1e30f, 1e10f, 0, 0}, 1e38f));
    CHECK_FALSE(wrong({1e25f, 1e25f, 1e-20f, 0, 0}, kInfinite));
    for (const float value : {kInfinite, -kInfinite, std::numeric_limits<float>::quiet_NaN()}) {
      CHECK(wrong({1e10f, 1e10f, 1e10f, 0, 0}, value));
      CHECK(wrong({1e25f, 1e-25f, 1e10f, 0, 0}, value));
      CHECK(wrong({0x1p-75f, 0x1p-75f, 0x1p100f, 0, 0}, value));
      CHECK(wrong({1e18f, 1e18f, 0.5f, 0, 0}, value));
      CHECK(wrong({1e36f, 0.1f, 1.5f, 1e36f, 0.1f}, value));
    }
    // Results are about 2^-50 or 0: 2^-40 is wrong.
    CHECK(wrong({0x1p-75f, 0x1p-75f, 0x1p100f, 0, 0}, 0x1p-40f));
    CHECK_FALSE(wrong({0x1p-75f, 0x1p-75f, 0x1p100f, 0, 0}, 0));
  }
}

TEST_CASE("in the normal range the bound is what it was") {
  for (const float alpha : {1.0f, -1.0f, 1.5f, 1e10f, 1e-10f}) {
    Problem p(Routine::gemm, 1, 1, 30);
    p.desc.alpha = alpha;
    p.desc.beta = 0;
    p.fill();
    for (float &x : p.a) x = 1;
    for (float &x : p.b) x = 1;
    for (const float off : {1e-5f, 1e-2f}) {
      p.at(0, 0) = 30 * alpha * (1 + off);
      const double error = std::fabs(static_cast<double>(p.at(0, 0)) - 30 * static_cast<double>(alpha));
      const double bound = 4 * std::sqrt(32.0) * 0x1p-24 * 30 * std::fabs(static_cast<double>(alpha));
      CHECK(verify_result(p.desc, nullptr, LIBSGEMM_VERIFY_FULL) == error / bound);
    }
  }
}

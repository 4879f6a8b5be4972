#include <cmath>
#include <vector>

#include "support/numbers.h"
#include "verify_problem.h"

using namespace libsgemm;
using namespace verify_test;

namespace {

// `certain`: errors that the checksum must find.
struct Wanted {
  std::vector<double> value, limit, certain;
};

Wanted wanted_of(const Problem &p, const std::vector<float> &before) {
  const GemmDesc &d = p.desc;
  const auto m = static_cast<size_t>(d.m), n = static_cast<size_t>(d.n), k = static_cast<size_t>(d.k);
  const auto ldc = static_cast<size_t>(d.ldc), lda = static_cast<size_t>(d.lda), ldb = static_cast<size_t>(d.ldb);
  const double f = 4 * std::sqrt(static_cast<double>(k) + 2) * 0x1p-24;
  const double alpha = static_cast<double>(d.alpha), beta = static_cast<double>(d.beta);
  Wanted w = {std::vector<double>(ldc * n), std::vector<double>(ldc * n), std::vector<double>(ldc * n)};
  for (size_t i = 0; i < m; ++i) {
    double size = 0, old = 0;
    for (size_t l = 0; l < k; ++l) {
      double squares = 0;
      for (size_t j = 0; j < n; ++j) squares += std::pow(static_cast<double>(p.b[l + j * ldb]), 2);
      size += std::fabs(alpha * static_cast<double>(p.a[i + l * lda])) * std::sqrt(squares);
    }
    for (size_t j = 0; j < n; ++j) old += std::pow(static_cast<double>(before[i + j * ldc]), 2);
    for (size_t j = 0; j < n; ++j) {
      double sum = 0, magnitude = 0;
      for (size_t l = 0; l < k; ++l) {
        const double term = static_cast<double>(p.a[i + l * lda]) * static_cast<double>(p.b[l + j * ldb]);
        sum += term;
        magnitude += std::fabs(term);
      }
      const double add = beta * static_cast<double>(before[i + j * ldc]);
      w.value[i + j * ldc] = alpha * sum + add;
      w.limit[i + j * ldc] = f * (std::fabs(alpha) * magnitude + std::fabs(add));
      w.certain[i + j * ldc] = 2 * 4 * f * (size + std::fabs(beta) * std::sqrt(old));
    }
  }
  return w;
}

struct Rate {
  int found = 0, of = 0;
  void count(bool hit) {
    found += hit ? 1 : 0;
    ++of;
  }
  double value() const { return static_cast<double>(found) / of; }
  // True within five standard deviations.
  bool is(double probability) const {
    return std::fabs(value() - probability) < 5 * std::sqrt(probability * (1 - probability) / of);
  }
};

}  // namespace

TEST_CASE("flipped bits are found at the rates that are promised") {
  // With more rows than columns the checksum is along rows.
  constexpr int64_t kRows = 44, kColumns = 40, kDepth = 24;
  const double drawn = 1 - std::pow(1 - 1.0 / kRows, 4) * std::pow(1 - 1.0 / kColumns, 4);
  Rate full, harmless, certain, small, high;
  uint64_t seed = 1;
  for (int problem = 0; problem < 20; ++problem) {
    Problem p(Routine::gemm, kRows, kColumns, kDepth);
    p.fill();
    const Wanted wanted = wanted_of(p, p.c);
    Snapshot before;
    REQUIRE(before.take(p.desc));
    p.compute();
    for (int flip = 0; flip < 500; ++flip) {
      const int64_t i = static_cast<int64_t>(generator()() % kRows), j = static_cast<int64_t>(generator()() % kColumns);
      const int bit = static_cast<int>(generator()() % 31);
      const float right = p.at(i, j);
      p.at(i, j) = sgemm_test::float_of_bits(sgemm_test::bits_of(right) ^ 1u << bit);
      const auto at = static_cast<size_t>(i + j * p.desc.ldc);
      const double error = std::fabs(static_cast<double>(p.at(i, j)) - wanted.value[at]);
      const bool alarm = verify_result(p.desc, &before, LIBSGEMM_VERIFY_FULL) > 1;
      const bool sampled = verify_result(p.desc, &before, LIBSGEMM_VERIFY_SAMPLE, {}, ++seed) > 1;
      const bool over = !(error <= wanted.limit[at]);
      (over ? full : harmless).count(alarm);
      if (over && bit >= 19) high.count(sampled);
      if (!(error <= wanted.certain[at])) certain.count(sampled);
      if (over && error < wanted.certain[at] / 4) small.count(sampled);
      if (!over) CHECK_FALSE(sampled);
      p.at(i, j) = right;
    }
  }
  INFO("full " << full.found << "/" << full.of << ", certain " << certain.found << "/" << certain.of << ", small "
               << small.found << "/" << small.of << " expected " << drawn << ", high bits " << high.found << "/"
               << high.of);
  CHECK(full.of > 5000);
  CHECK(full.found == full.of);
  CHECK(harmless.of > 500);
  CHECK(harmless.found == 0);
  CHECK(certain.of > 4000);
  CHECK(certain.found == certain.of);
  CHECK(small.of > 500);
  CHECK(small.is(drawn));
  CHECK(high.of > 3000);
  CHECK(high.value() > 0.999);  // exponent and four mantissa bits
}

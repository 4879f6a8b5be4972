#include "hard_operands.h"

#include <cmath>
#include <limits>
#include <vector>

#include "support/numbers.h"

namespace sgemm_test {
namespace {

struct Operand {
  Matrix *x;
  bool along_k;  // a stored row is row i of op(A), column j of op(B)

  float &at(int64_t outer, int64_t l) const { return along_k ? x->at(outer, l) : x->at(l, outer); }
};

class Draw {
 public:
  Draw(const Case &test, Problem *p)
      : random_(2026),
        a{&p->a, test.transa == LIBSGEMM_NO_TRANS},
        b{&p->b, test.transb != LIBSGEMM_NO_TRANS},
        m_(test.m),
        n_(test.n),
        k_(test.k) {}

  void fill(Hard hard) {
    for (Matrix *x : {a.x, b.x}) {
      for (float &value : x->values) value = static_cast<float>(hard == Hard::kCauchy ? cauchy() : normal());
    }
    switch (hard) {
      case Hard::kNormal:
      case Hard::kCauchy:
        return;
      case Hard::kScaledRows:
        for (int64_t i = 0; i < m_; ++i) scale_row(a, i, power_of_e());
        for (int64_t j = 0; j < n_; ++j) scale_row(b, j, power_of_e());
        return;
      case Hard::kScaledDepth:
        return scale_depth();
      case Hard::kOutliers:
        for (Matrix *x : {a.x, b.x}) {
          for (float &value : x->values) value *= random_.integer(0, 49) == 0 ? 1e6f : 1.0f;
        }
        return;
      case Hard::kDenormal:
        for (float &value : a.x->values) value *= 0x1p-134f;
        for (float &value : b.x->values) value *= 0x1p100f;
        return;
      case Hard::kHugeElement:
        a.at(m_ / 2, k_ / 2) = 1e30f;
        return;
      case Hard::kZeros:
        for (Matrix *x : {a.x, b.x}) {
          for (float &value : x->values) value = value > 0 ? value : 0;
        }
        for (int64_t i = 0; i < m_; i += 3) scale_row(a, i, 0);
        for (int64_t j = 1; j < n_; j += 5) scale_row(b, j, 0);
        return;
      case Hard::kTiny:
        for (int64_t i = 0; i < m_; ++i) a.at(i, step()) *= 0x1p-40f;
        for (int64_t j = 0; j < n_; ++j) b.at(j, step()) *= 0x1p-40f;
        return;
      case Hard::kFewSmall:
        for (int64_t l = 0; l < k_; ++l) {
          for (int64_t i = 0; i < m_; ++i) a.at(i, l) = few_small(l, 0);
          for (int64_t j = 0; j < n_; ++j) b.at(j, l) = few_small(l, 8);
        }
        return;
      case Hard::kOneWideRow:
        for (int64_t l = 0; l < k_; ++l) a.at(m_ - 1, l) = l % 2 == 0 ? 0x1p-149f : 0x1p100f;
        return;
      case Hard::kSpecial:
        a.at(m_ - 1, 1) = std::numeric_limits<float>::quiet_NaN();
        b.at(0, k_ - 1) = std::numeric_limits<float>::infinity();
        return;
      case Hard::kOverflow:
        a.at(0, 3) = 1e30f, b.at(n_ - 1, 3) = -1e30f;
        return;
    }
  }

 private:
  double uniform() { return std::fabs(static_cast<double>(random_.uniform())); }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * M_PI * uniform()); }
  double cauchy() { return std::tan(M_PI * (uniform() - 0.5)); }
  double power_of_e() { return std::exp(30 * static_cast<double>(random_.uniform())); }

  void scale_row(const Operand &x, int64_t outer, double by) {
    for (int64_t l = 0; l < k_; ++l) x.at(outer, l) = static_cast<float>(static_cast<double>(x.at(outer, l)) * by);
  }
  int64_t step() { return random_.integer(0, static_cast<int>(k_) - 1); }
  // In every 64 elements of k the 8 from `first` are small, where the other operand has its largest.
  float few_small(int64_t l, int first) {
    if (l % 64 >= 16) return 0x1p-13f;
    if (l % 64 / 8 * 8 != first) return 0x1.fffffep0f;
    // A subnormal first split and a subnormal second one, and nearly half a unit of the second, which is lost.
    const auto first_part = static_cast<float>(random_.integer(1, 127));
    const auto second = static_cast<float>(random_.integer(0, 511));
    return std::ldexp(first_part, -38) + std::ldexp(second, -49) + 0x1.fcp-51f;
  }
  void scale_depth() {
    for (int64_t l = 0; l < k_; ++l) {
      const double by = power_of_e();
      for (int64_t i = 0; i < m_; ++i) a.at(i, l) = static_cast<float>(static_cast<double>(a.at(i, l)) * by);
      for (int64_t j = 0; j < n_; ++j) b.at(j, l) = static_cast<float>(static_cast<double>(b.at(j, l)) / by);
    }
  }

  Random random_;
  Operand a, b;
  int64_t m_, n_, k_;
};

}  // namespace

const char *name_of(Hard hard) {
  static const char *const names[] = {"normal",       "scaled rows",  "scaled depth", "outliers", "Cauchy",
                                      "denormal",     "huge element", "zeros",        "tiny",     "few small",
                                      "one wide row", "special",      "overflow"};
  return names[static_cast<int>(hard)];
}

Problem hard_problem(Hard hard, const Case &test) {
  Case random = test;
  random.inputs = Inputs::kRandom;
  Problem p = draw_problem(random, 1);
  Draw(random, &p).fill(hard);
  solve(&p);
  return p;
}

}  // namespace sgemm_test

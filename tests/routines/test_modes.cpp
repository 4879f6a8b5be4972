// Inputs are such that results depend only on what a math mode does to them, so their bits prove which mode ran. All
// kernels run in all modes.
#include <cfloat>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>

#include "support/catch.h"
#include "support/check.h"
#include "support/numbers.h"
#include "support/subject.h"
#include "support/ways.h"

using namespace sgemm_test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class Runner {
 public:
  Runner() {
    ways_.push_back(std::make_unique<Ways>());
    for (const libsgemm_math_mode_t mode : kOtherModes) ways_.push_back(std::make_unique<Ways>(mode));
  }

  using Judge = std::function<std::string(const Arithmetic &, Placement *)>;

  void run(const Problem &problem, libsgemm_layout_t layout, const Judge &judge) {
    Placement placement(problem, layout);
    for (const auto &ways : ways_) {
      for (Way &way : ways->all()) {
        placement.restore();
        const libsgemm_status_t status = way.handle == nullptr
                                             ? call(problem.test.routine, placement.args())
                                             : call(problem.test.routine, *way.handle, placement.args());
        const std::string fault = ways->judge(
            &way, entry_name(problem.test.routine), false, status,
            [&](const Arithmetic &how) {
              ++ran_[how.mode];
              return judge(how, &placement);
            },
            [&] { return placement.check_untouched(); });
        if (!fault.empty()) failures_.add(describe(problem.test) + " " + way.description() + ": " + fault);
      }
    }
  }

  void run(const Problem &problem) {
    for (const libsgemm_layout_t layout : kLayouts) {
      run(problem, layout, [](const Arithmetic &how, Placement *placement) { return placement->check(how); });
    }
  }

  void finish() {
    failures_.report();
    CHECK(ran_[LIBSGEMM_MATH_FP32] > 0);
    for (const libsgemm_math_mode_t mode : kOtherModes) {
      INFO(name_of(mode));
      CHECK((ran_[mode] > 0) == has(mode));
    }
  }

 private:
  std::vector<std::unique_ptr<Ways>> ways_;
  Failures failures_;
  std::map<libsgemm_math_mode_t, int> ran_;
};

// Row i of op(A) is zero, except for `values` number i at index `at` of k, where B is 1. Without `in_a`, the same for
// columns of op(B).
Problem selection(const std::vector<float> &values, bool in_a, int64_t k, int64_t at) {
  const auto count = static_cast<int64_t>(values.size());
  const int64_t long_side = count * (130 / count + 1), short_side = 9;
  Problem p = make_problem(case_of(Routine::kSgemm, in_a ? long_side : short_side, in_a ? short_side : long_side, k));
  for (Matrix *x : {&p.a, &p.b}) {
    for (float &value : x->values) value = 0;
  }
  for (int64_t i = 0; i < p.a.rows; ++i) p.a.at(i, at) = in_a ? values[static_cast<size_t>(i % count)] : 1.0f;
  for (int64_t j = 0; j < p.b.columns; ++j) p.b.at(at, j) = in_a ? 1.0f : values[static_cast<size_t>(j % count)];
  solve(&p);
  return p;
}

Problem pair_of(const std::vector<float> &x, const std::vector<float> &y, int64_t k) {
  Problem p = make_problem(case_of(Routine::kSgemm, 70, 67, k));
  for (Matrix *each : {&p.a, &p.b}) {
    for (float &value : each->values) value = 0;
  }
  for (size_t l = 0; l < x.size(); ++l) {
    for (int64_t i = 0; i < p.a.rows; ++i) p.a.at(i, static_cast<int64_t>(l)) = x[l];
    for (int64_t j = 0; j < p.b.columns; ++j) p.b.at(static_cast<int64_t>(l), j) = y[l];
  }
  solve(&p);
  return p;
}

std::string all_are(Placement *placement, const Problem &problem, double wanted, double tolerance = 0) {
  for (int64_t i = 0; i < problem.c.rows; ++i) {
    for (int64_t j = 0; j < problem.c.columns; ++j) {
      const auto c = static_cast<double>(placement->c()[placement->index_in_c(i, j)]);
      if (c == wanted || std::fabs(c - wanted) <= tolerance) continue;
      char text[96];
      std::snprintf(text, sizeof text, "element %d, %d is %a, expected %a", static_cast<int>(i), static_cast<int>(j), c,
                    wanted);
      return text;
    }
  }
  return "";
}

// Numbers of at most 22 bits fit in the splits of fp16x3.
const std::vector<float> kWitnesses = {0.0f,
                                       1.0f,
                                       -1.0f,
                                       0x1.002p0f,   // tf32 and fp16 tie above an even number: 1 or 1 + 2^-10
                                       -0x1.006p0f,  // tie above an odd number
                                       0x1.00201p0f,
                                       0x1.001ff8p0f,
                                       0x1.01p0f,  // tie at 8 bits
                                       0x1.03p0f,
                                       -0x1.01001p0f,
                                       0x1.00ffp0f,
                                       0x1.012p0f,  // differs by mode
                                       0x1.ffep0f,
                                       0x1.fffp0f,  // rounds to 2
                                       0x1.555555p3f - 0x5p-21f,
                                       0.0f - 0x1.2345p-3f};

}  // namespace

TEST_CASE("inputs are rounded to the nearest as each mode says, to the bit, in every kernel") {
  Runner runner;
  for (const bool in_a : {true, false}) {
    runner.run(selection(kWitnesses, in_a, 1, 0));
    for (const int64_t at : {0, 69}) runner.run(selection(kWitnesses, in_a, 70, at));
  }
  runner.run(selection(kWitnesses, true, 4096, 4000));
  runner.finish();
}

TEST_CASE("the largest, the smallest and special values in every mode, in every kernel") {
  const std::vector<float> values = {65504.0f,
                                     65519.0f,
                                     65519.996f,
                                     65520.0f,
                                     -65520.0f,
                                     65536.0f,
                                     1e6f,
                                     0x1.fep127f,
                                     0x1.fefffep127f,
                                     0x1.ffp127f,
                                     0x1.ffdffep127f,
                                     0x1.ffep127f,
                                     FLT_MAX,
                                     -FLT_MAX,
                                     0x1p-14f,
                                     0x1.ffcp-15f,
                                     0x1.ffep-15f,
                                     0x1p-24f,
                                     0x1.8p-24f,
                                     0x1.4p-23f,
                                     0x1p-25f,
                                     0x1.000002p-25f,
                                     -0x1p-26f,
                                     1e-30f,
                                     FLT_MIN,
                                     FLT_MIN / 2,
                                     -FLT_MIN / 1024,
                                     0x1p-133f,
                                     0x1.8p-133f,
                                     0x1p-134f,
                                     0x1.8p-134f,
                                     0x1p-136f,
                                     0x1.8p-136f,
                                     0x1p-137f,
                                     0x1p-149f,
                                     -0x1p-149f,
                                     -0.0f,
                                     kInf,
                                     -kInf,
                                     kNan,
                                     float_of_bits(0x7fa00001u)};  // signalling
  Runner runner;
  for (const bool in_a : {true, false}) {
    Problem problem = selection(values, in_a, 1, 0);
    for (const libsgemm_layout_t layout : kLayouts) {
      runner.run(problem, layout, [&](const Arithmetic &how, Placement *placement) {
        // Modes that split may lose bits within their bounds.
        const bool exact = how.mode == LIBSGEMM_MATH_FP32 || rounds(how.mode);
        problem.test.inputs = exact ? Inputs::kExact : Inputs::kRandom;
        return placement->check(how);
      });
    }
  }
  runner.finish();
}

TEST_CASE("an Inf, a NaN and a number too large for fp16 spread as in FP32, in every kernel") {
  Runner runner;
  for (const int64_t size : {3, 17, 66, 130}) {
    for (const float special : {kNan, kInf, -kInf, 1e5f}) {
      for (int variant = 0; variant < 4; ++variant) {
        Case test = case_of(Routine::kSgemm, size, size + 1, size + 2);
        test.transa = variant % 2 == 0 ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
        test.transb = variant / 2 == 0 ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
        test.beta = variant == 1 ? 1.0f : 0.0f;
        Problem problem = make_problem(test);
        problem.a.at(0, 0) = special;
        problem.b.at(problem.b.rows - 1, problem.b.columns - 1) = special;
        solve(&problem);
        runner.run(problem);
      }
    }
  }
  runner.finish();
}

TEST_CASE("sums beyond the range of FP32 are infinite in every kernel") {
  Runner runner;
  for (const float value : {3e38f, -3e38f}) {
    const Problem problem = pair_of({value, value, value}, {1, 1, 1}, 40);
    runner.run(problem, LIBSGEMM_COL_MAJOR, [&](const Arithmetic &, Placement *placement) {
      return all_are(placement, problem, value > 0 ? kInf : -kInf);
    });
  }
  runner.finish();
}

// lo * lo is two units in the last place of the product. Only fp16x3 omits it. All terms but one are zero, so every
// order is exact.
TEST_CASE("fp16x3 sums three products of parts and no more") {
  Runner runner;
  for (const int64_t k : {1, 33, 4096}) {
    const float x = 1 + 0x1p-11f - 0x1p-22f;  // splits: 1, and 2^-11 - 2^-22
    const Problem problem = pair_of({x}, {x}, k);
    runner.run(problem, LIBSGEMM_COL_MAJOR, [&](const Arithmetic &how, Placement *placement) {
      const double wanted = rounds(how.mode)                   ? 1
                            : how.mode == LIBSGEMM_MATH_FP16X3 ? 1 + 0x1p-10 - 0x1p-21
                                                               : 1 + 0x1p-10 - 0x1p-22;
      // fp32_fast may use these splits or FP64.
      return all_are(placement, problem, wanted, how.mode == LIBSGEMM_MATH_FP32_FAST ? 0x1p-22 : 0);
    });
  }
  runner.finish();
}

// (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24. bf16x6 keeps it in either order of the terms: it adds the products of low
// splits first. FP32 keeps it only if it does not round the square first, fp16x3 never.
TEST_CASE("bf16x6 sums six products of parts, the small ones first") {
  const float x = 1 + 0x1p-12f, p = 1 + 0x1p-11f;
  Runner runner;
  for (const int64_t k : {2, 34, 4096}) {
    std::map<std::string, std::vector<int>> kept;  // orders in which an element keeps the square, by FP32 kernel
    for (const bool square_first : {true, false}) {
      const Problem problem = square_first ? pair_of({x, 1}, {x, -p}, k) : pair_of({1, x}, {-p, x}, k);
      const auto in_fp32 = [&](Placement *placement) -> std::string {
        std::vector<int> &orders = kept[last_info().kernel];
        orders.resize(problem.c.values.size());
        for (size_t at = 0; at < orders.size(); ++at) {
          const auto i = static_cast<int64_t>(at);
          const float c = placement->c()[placement->index_in_c(i / problem.c.columns, i % problem.c.columns)];
          if (c != 0 && c != 0x1p-24f) return "an element is " + std::to_string(c);
          if (c != 0) orders[at] |= square_first ? 1 : 2;
          if (orders[at] == 3) return "FP32 has the square in both orders";
        }
        return "";
      };
      runner.run(problem, LIBSGEMM_COL_MAJOR, [&](const Arithmetic &how, Placement *placement) {
        if (how.mode == LIBSGEMM_MATH_FP32) return in_fp32(placement);
        if (how.mode == LIBSGEMM_MATH_FP32_FAST) return all_are(placement, problem, 0x1p-25, 0x1p-25);  // 0 or 2^-24
        const bool kept_whole = how.mode == LIBSGEMM_MATH_BF16X6 || how.mode == LIBSGEMM_MATH_FP64;
        return all_are(placement, problem, kept_whole ? 0x1p-24 : 0);
      });
    }
  }
  runner.finish();
}

// Tensor cores align 16 terms of k with the largest, and truncate below 2^-25 of it. Each product of low splits is
// below that (0.875 * 2^-25), their sum 6.6 units: it survives only if they are added first.
TEST_CASE("the modes that split add up the products of low parts first") {
  const std::vector<float> x = [] {
    std::vector<float> values(16, 0x1p-7f * (1 + 0x1.cp-12f));
    values[0] = 1;
    return values;
  }();
  std::vector<float> y(16, 0x1p-7f);
  y[0] = 1;
  Runner runner;
  for (const int64_t k : {16, 100, 4096}) {
    const Problem problem = pair_of(x, y, k);
    runner.run(problem, LIBSGEMM_COL_MAJOR, [&](const Arithmetic &how, Placement *placement) {
      if (how.mode == LIBSGEMM_MATH_FP32 || rounds(how.mode)) return std::string();
      return all_are(placement, problem, 1 + 15 * 0x1p-14 * (1 + 0x1.cp-12), 4 * kUnitRoundoff);
    });
  }
  runner.finish();
}

// A 1 precedes terms of 0.875 * 2^-25. One sum over all of k, on tensor cores or in FP32, loses them all. Sums over 32
// to 128 of k, added in FP32, lose only the terms next to the 1, and a rounding each.
TEST_CASE("the modes that split promote their sums to FP32") {
  constexpr int64_t kTerms = 4096;
  std::vector<float> x(kTerms, 0x1.cp-26f);
  x[0] = 1;
  const std::vector<float> y(kTerms, 1);
  const double sum = 1 + (kTerms - 1) * 0x1.cp-26;
  Runner runner;
  const Problem problem = pair_of(x, y, kTerms);
  runner.run(problem, LIBSGEMM_COL_MAJOR, [&](const Arithmetic &how, Placement *placement) {
    if (how.mode == LIBSGEMM_MATH_FP32 || rounds(how.mode)) return std::string();
    return all_are(placement, problem, sum, 128 * (0x1.cp-26 + kUnitRoundoff));
  });
  runner.finish();
}

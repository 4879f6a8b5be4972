#include <algorithm>

#include "hard_operands.h"
#include "support/catch.h"
#include "support/check.h"
#include "support/subject.h"
#include "support/ways.h"

using namespace sgemm_test;

namespace {

std::vector<Way *> rows_of(Ways *all, const std::string &mode) {
  std::vector<Way *> found;
  for (Way &way : all->all()) {
    const size_t at = way.kernel.rfind("_" + mode);
    if (at != std::string::npos && at + 1 + mode.size() == way.kernel.size()) found.push_back(&way);
  }
  return found;
}

std::vector<Case> shapes() {
  std::vector<Case> all;
  for (int turn = 0; turn < 4; ++turn) {
    // Two blocks of 128 rows and columns. In the last case k is too small for splits: FP64 computes all.
    Case test = case_of(Routine::kSgemm, 133 + turn, 140, turn == 3 ? 140 : 297 + 200 * turn);
    if (turn % 2 != 0) test.transa = LIBSGEMM_TRANS;
    if (turn / 2 != 0) test.transb = LIBSGEMM_TRANS;
    test.alpha = turn == 0 ? 1.0f : -1.5f, test.beta = turn == 1 ? 0.75f : 0.0f;
    test.offset = turn % 2;
    all.push_back(test);
  }
  all.push_back(case_of(Routine::kSgemm, 130, 70, 8501));
  all.back().transa = LIBSGEMM_TRANS, all.back().beta = -0.5f;
  return all;
}

// FP32 itself may miss the usual bound for one element in two thousand, where one term dominates. Only
// fp32_fast must keep it.
std::string judge(const Ways &ways, Way *way, libsgemm_status_t status, Placement *placement) {
  return ways.judge(
      way, "libsgemm_sgemm", false, status,
      [&](const Arithmetic &how) {
        double worst = 0;
        const bool fast = how.mode == LIBSGEMM_MATH_FP32_FAST;
        return placement->check(how, fast ? Bound::kUsual : Bound::kSafe, 1e12, &worst);
      },
      [&] { return placement->check_untouched(); });
}

// Returns the fault of the reported share of FP64, or "".
std::string judge_share(Hard hard, const Case &test) {
  const libsgemm_info_t info = last_info();
  if (std::string(info.math_mode) != "fp32_fast") return info.fp64_share < 0 ? "" : "a share of FP64 without the mode";
  std::string fault = "a share of " + std::to_string(info.fp64_share) + " of FP64";
  if (info.fp64_share < 0 || info.fp64_share > 1) return fault;
  const bool all = hard == Hard::kScaledDepth || test.k < 256, none = hard == Hard::kNormal && !all;
  return (all && info.fp64_share < 1) || (none && info.fp64_share > 0) ? fault : "";
}

}  // namespace

TEST_CASE("fp32_fast keeps the bound of FP32 whatever the operands hold") {
  Ways chosen(LIBSGEMM_MATH_FP32_FAST), forced;
  std::vector<Way *> ways = rows_of(&forced, "fp32_fast");
  ways.insert(ways.begin(), &chosen.all().front());
  Failures failures;
  for (const Hard hard : kHard) {
    for (const Case &test : shapes()) {
      const Problem problem = hard_problem(hard, test);
      Placement placement(problem, LIBSGEMM_COL_MAJOR);
      for (Way *way : ways) {
        placement.restore();
        const libsgemm_status_t status = call(Routine::kSgemm, *way->handle, placement.args());
        std::string fault = judge(way == ways.front() ? chosen : forced, way, status, &placement);
        if (fault.empty() && status == LIBSGEMM_SUCCESS) fault = judge_share(hard, test);
        if (!fault.empty())
          failures.add(std::string(name_of(hard)) + ", " + describe(test) + " " + way->description() + ": " + fault);
      }
    }
  }
  failures.report();
  CHECK(ways.front()->ran > 0);
  // A backend lists kernels of all devices and declines others'.
  const bool ran = std::any_of(ways.begin() + 1, ways.end(), [](const Way *way) { return way->ran > 0; });
  CHECK(ran == has(LIBSGEMM_MATH_FP32_FAST));
}

TEST_CASE("without its guard fp16x3 misses the bound of FP32 where k is scaled one way in A and back in B") {
  Ways forced;
  const Problem problem = hard_problem(Hard::kScaledDepth, shapes().front());
  Placement placement(problem, LIBSGEMM_COL_MAJOR);
  for (const Way *way : rows_of(&forced, "fp16x3")) {
    placement.restore();
    INFO(way->description());
    const libsgemm_status_t status = call(Routine::kSgemm, *way->handle, placement.args());
    if (status == LIBSGEMM_NOT_SUPPORTED) continue;
    REQUIRE(status == LIBSGEMM_SUCCESS);
    double worst = 0;
    CHECK(placement.check({}, Bound::kSafe, 1e12, &worst) != "");
    CHECK(worst > 100);
  }
}

TEST_CASE("fp32_fast is an answer to who asks for FP32's bound: no backend says that it lacks the mode") {
  Ways ways(LIBSGEMM_MATH_FP32_FAST);
  const Problem problem = hard_problem(Hard::kNormal, shapes().front());
  Placement placement(problem, LIBSGEMM_ROW_MAJOR);
  Way &way = ways.all().front();
  REQUIRE(call(Routine::kSgemm, *way.handle, placement.args()) == LIBSGEMM_SUCCESS);
  CHECK(last_info().fallbacks == 0);
  const std::string ran = last_info().math_mode;
  CHECK((ran == "fp32_fast" || ran == "fp32" || ran == "fp64"));
}

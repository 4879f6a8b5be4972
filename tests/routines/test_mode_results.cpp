// Math modes with the kernels that the library chooses.
#include <cmath>

#include "support/catch.h"
#include "support/check.h"
#include "support/numbers.h"
#include "support/subject.h"
#include "support/ways.h"

using namespace sgemm_test;

TEST_CASE("cases of every kind give the right result in the mode asked for") {
  for (const libsgemm_math_mode_t mode : kOtherModes) {
    DYNAMIC_SECTION(name_of(mode)) {
      Ways ways(mode);
      Way &way = ways.all().front();
      Failures failures;
      const std::vector<Case> cases = cases_of(Routine::kSgemm);
      for (size_t i = 0; i < cases.size(); i += 7) {
        const Problem problem = make_problem(cases[i]);
        Placement placement(problem, kLayouts[i % 2]);
        const libsgemm_status_t status = call(Routine::kSgemm, *way.handle, placement.args());
        const std::string fault = ways.judge(&way, "libsgemm_sgemm", needs_no_backend(cases[i]), status, &placement);
        if (!fault.empty()) failures.add(describe(cases[i]) + ": " + fault);
      }
      failures.report();
      CHECK(way.declined == 0);
      CHECK(way.ran > 500);
      if (always_has(mode)) CHECK(way.ran_in_mode == way.ran);
      if (!has(mode)) CHECK(way.ran_in_mode == 0);
    }
  }
}

TEST_CASE("a large product runs in the mode asked for") {
  const int64_t size = subject().is_gpu ? 2048 : 200;
  const Problem problem = make_problem(case_of(Routine::kSgemm, size, size, 512));
  for (const libsgemm_math_mode_t mode : kOtherModes) {
    INFO(name_of(mode));
    Ways ways(mode);
    Way &way = ways.all().front();
    Placement placement(problem, LIBSGEMM_COL_MAJOR);
    const libsgemm_status_t status = call(Routine::kSgemm, *way.handle, placement.args());
    const auto check = [&](const Arithmetic &) { return placement.check(); };
    CHECK(ways.judge(&way, "libsgemm_sgemm", false, status, check, [] { return std::string(); }) == "");
    // In modes with FP32's error, kernels are chosen for each tile that is copied to a GPU.
    if (rounds(mode) || !subject().is_gpu) CHECK((way.ran_in_mode == 1) == has(mode));
  }
}

// Compares with the product of unrounded inputs. An input's rounding error is evenly spread within 2^-bits, which
// bounds the errors from both sides.
TEST_CASE("errors of the modes that round are as large as their inputs make them") {
  Case test = case_of(Routine::kSgemm, 100, 90, 256);
  test.inputs = Inputs::kRandom;
  const Problem problem = make_problem(test);
  const double bound = 2 * std::sqrt(static_cast<double>(test.k) + 2) * kUnitRoundoff;
  const auto relative_error = [&](libsgemm_math_mode_t mode) {
    Handle handle;
    REQUIRE(libsgemm_set_backend(handle, subject().backend.c_str()) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_math_mode(handle, mode) == LIBSGEMM_SUCCESS);
    Placement placement(problem, LIBSGEMM_COL_MAJOR);
    REQUIRE(call(Routine::kSgemm, handle, placement.args()) == LIBSGEMM_SUCCESS);
    double squares = 0;
    for (int64_t i = 0; i < test.m; ++i) {
      for (int64_t j = 0; j < test.n; ++j) {
        const auto at = static_cast<size_t>(i * test.n + j);
        const double c = static_cast<double>(placement.c()[placement.index_in_c(i, j)]);
        squares += std::pow((c - problem.value[at]) / (problem.limit[at] / bound), 2);
      }
    }
    return std::sqrt(squares / static_cast<double>(test.m * test.n));
  };
  const double one_input = 0.6 / std::sqrt(static_cast<double>(test.k) / 2);
  CHECK(relative_error(LIBSGEMM_MATH_FP32) < 0x1p-24);
  for (const libsgemm_math_mode_t mode : kOtherModes) {
    if (!has(mode)) continue;
    INFO(name_of(mode));
    const double error = relative_error(mode);
    if (!rounds(mode)) {
      CHECK(error < 0x1p-23);
      continue;
    }
    const double expected = one_input * (as_input(mode, 1 + 0x1p-9f) == 1 ? 0x1p-8 : 0x1p-11);
    CHECK(error > expected / 2);
    CHECK(error < expected * 2);
  }
}

TEST_CASE("verification judges a result by the arithmetic that ran") {
  Case test = case_of(Routine::kSgemm, 60, 50, 700);
  test.inputs = Inputs::kRandom;
  test.beta = -1.3f;
  const Problem problem = make_problem(test);
  for (const libsgemm_math_mode_t mode : kOtherModes) {
    for (const libsgemm_verify_t verify : {LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_FULL}) {
      Handle handle;
      REQUIRE(libsgemm_set_backend(handle, subject().backend.c_str()) == LIBSGEMM_SUCCESS);
      REQUIRE(libsgemm_set_math_mode(handle, mode) == LIBSGEMM_SUCCESS);
      REQUIRE(libsgemm_set_verify(handle, verify, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
      Placement placement(problem, LIBSGEMM_ROW_MAJOR);
      INFO(name_of(mode));
      const libsgemm_status_t status = call(Routine::kSgemm, handle, placement.args());
      INFO(last_info().message);
      REQUIRE(status == LIBSGEMM_SUCCESS);
      CHECK(last_info().verify_ratio > 0);
      CHECK(last_info().verify_ratio <= 1);
      if (always_has(mode)) CHECK(std::string(last_info().math_mode) == name_of(mode));
    }
  }
}

TEST_CASE("routines other than products run as FP32 in every mode but fp64") {
  for (const Routine routine : kSingleRoutines) {
    if (routine == Routine::kSgemm) continue;
    for (const libsgemm_math_mode_t mode : kOtherModes) {
      Case test = case_of(routine, 40, 40, 40);
      test.inputs = Inputs::kRandom;
      const Problem problem = make_problem(test);
      Ways ways(mode);
      Way &way = ways.all().front();
      Placement placement(problem, LIBSGEMM_COL_MAJOR);
      const libsgemm_status_t status = call(routine, *way.handle, placement.args());
      INFO(entry_name(routine) << " " << name_of(mode));
      CHECK(ways.judge(&way, entry_name(routine), false, status, &placement) == "");
      const bool has_solver = subject().backend == "ref";
      const bool wanted = mode == LIBSGEMM_MATH_FP64 && (routine != Routine::kStrsm || has_solver) && always_has(mode);
      // Some GPUs have FP64 kernels for some routines.
      if (mode != LIBSGEMM_MATH_FP64 || !subject().is_gpu) CHECK(way.ran_in_mode == (wanted ? 1 : 0));
    }
  }
}

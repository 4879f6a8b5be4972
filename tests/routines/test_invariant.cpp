// LIBSGEMM_DETERMINISTIC_INVARIANT on host memory: each element has the bits of its mode's order of sums (chain() in
// oracle.h), independent of other elements.
#include "invariant.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/numbers.h"
#include "support/part.h"

using namespace sgemm_test;

namespace {

std::string run(const InvariantHandle &handle, const Problem &problem, libsgemm_layout_t layout) {
  Placement placement(problem, layout);
  const libsgemm_status_t status = call(problem.test.routine, handle, placement.args());
  if (status != LIBSGEMM_SUCCESS) return last_info().message;
  const bool other = std::string(last_info().math_mode) != name_of(handle.mode);
  if (!needs_no_backend(problem.test) && other) return "has another arithmetic";
  return placement.check(chain_of(handle.mode));
}

void check_all(const InvariantHandle &handle, const Problem &problem) {
  for (const libsgemm_layout_t layout : kLayouts) {
    INFO(describe(problem.test) << " layout " << layout);
    CHECK(run(handle, problem, layout) == "");
  }
}

// Without invariant kernels ref computes all calls, and ref has its own run of these tests.
bool leaves_all_to_ref(libsgemm_math_mode_t mode) {
  const std::vector<std::string> &kernels = subject().kernels;
  return std::none_of(kernels.begin(), kernels.end(),
                      [mode](const std::string &kernel) { return is_marked(kernel, mode); });
}

bool is_chain_of_cpu(const std::string &kernel, libsgemm_math_mode_t mode) {
  const std::string end = mode == LIBSGEMM_MATH_FP64 ? "_fp64" : "_chain";
  return kernel.rfind("cpu_", 0) == 0 && kernel.size() > end.size() && kernel.substr(kernel.size() - end.size()) == end;
}

// The subject has a kernel of this order. A CPU without FMA has none for FP32.
bool computes(Routine routine, libsgemm_math_mode_t mode) {
  static const bool has_fma = std::string(device_of_subject().arch) != "sse";
  if (subject().backend == "cpu" && mode == LIBSGEMM_MATH_FP32 && !has_fma) return false;
  return subject().backend == "ref" || (subject().backend != "openblas" && routine != Routine::kStrsm);
}

}  // namespace

TEST_CASE("every routine gives the bits of its chains") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  if (leaves_all_to_ref(mode)) return;
  const InvariantHandle handle(mode);
  for (const Routine routine : kSingleRoutines) {
    DYNAMIC_SECTION(entry_name(routine)) {
      for (const Case &test :
           invariant_cases(routine, mode, static_cast<size_t>((mode == LIBSGEMM_MATH_FP64 ? 9 : 3) * one_in())))
        check_all(handle, draw_problem(test, 5));
    }
  }
}

TEST_CASE("who computes: a backend what it has kernels for, otherwise cpu or ref") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  const InvariantHandle handle(mode);
  for (const Routine routine : kSingleRoutines) {
    INFO(entry_name(routine));
    Placement placement(draw_problem(case_of(routine, 100, 100, 100), 1), LIBSGEMM_COL_MAJOR);
    REQUIRE(call(routine, handle, placement.args()) == LIBSGEMM_SUCCESS);
    const libsgemm_info_t info = last_info();
    const std::string backend = info.backend;
    if (computes(routine, mode)) {
      CHECK(backend == subject().backend);
    } else {
      CHECK((backend == "ref" || (backend == "cpu" && routine != Routine::kStrsm)));
    }
    CHECK(is_chain_of_cpu(info.kernel, mode) == (backend == "cpu" || backend == "ref"));
    const bool passed_over = std::string(info.reason).find("LIBSGEMM_DETERMINISTIC=invariant") != std::string::npos;
    CHECK(passed_over == !computes(routine, mode));
  }
}

TEST_CASE("a kernel that is forced gives the same bits, or does nothing") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  int ran = 0;
  for (const std::string &kernel : subject().kernels) {
    InvariantHandle handle(mode);
    REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
    for (const Routine routine : kSingleRoutines) {
      Case test = case_of(routine, 70, 90, 600);
      test.inputs = Inputs::kRandom;
      test.beta = routine != Routine::kStrmm && routine != Routine::kStrsm ? 0.3f : 0.0f;
      const Problem problem = draw_problem(test, 3);
      Placement placement(problem, LIBSGEMM_COL_MAJOR);
      const libsgemm_status_t status = call(routine, handle, placement.args());
      INFO(kernel << " " << describe(test) << ": " << last_info().message);
      if (!is_marked(kernel, mode)) CHECK(status == LIBSGEMM_NOT_SUPPORTED);
      if (status == LIBSGEMM_SUCCESS) {
        ++ran;
        CHECK(placement.check(chain_of(mode)) == "");
      } else {
        CHECK(status == LIBSGEMM_NOT_SUPPORTED);
        CHECK(placement.check_untouched() == "");
        CHECK(std::string(last_info().message).find("LIBSGEMM_DETERMINISTIC=invariant") != std::string::npos);
      }
      const bool anywhere = kernel == "cpu_scalar_8x4x256_chain" || kernel == "cpu_sse2_4x4x256_packed_fp64";
      if (!subject().is_gpu) {
        const bool can = computes(routine, mode) && is_chain_of_cpu(kernel, mode);
        CHECK((status == LIBSGEMM_SUCCESS) == (can && (subject().backend == "cpu" || anywhere || ran > 0)));
      }
    }
  }
  CHECK((ran > 0) == computes(Routine::kSgemm, mode));
}

TEST_CASE("numbers at the ends of the range") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  const InvariantHandle handle(mode);
  for (const Routine routine : kSingleRoutines) {
    if (element_of(routine) != Element::kFloat) continue;
    for (const int64_t k : {1, 2, 9, 40}) {
      for (const float alpha : {1.0f, -1.0f, 1e-8f, 3e30f}) {
        Case test = case_of(routine, 37, 41, k);
        test.inputs = Inputs::kRandom;
        test.alpha = alpha;
        const bool has_beta = routine != Routine::kStrmm && routine != Routine::kStrsm;
        test.beta = has_beta ? -0.5f : 0.0f;
        check_all(handle, draw_problem(test, 1, fill_with_extremes, fill_with_extremes, fill_with_extremes));
        Problem special = draw_problem(test, 1);
        for (Matrix *x : {&special.a, &special.c}) {
          x->at(0, 0) = INFINITY;
          x->at(x->rows - 1, x->columns - 1) = NAN;
        }
        check_all(handle, special);
      }
    }
  }
}

TEST_CASE("a row of C is the same among 4096 rows as alone") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  const InvariantHandle handle(mode);
  for (const bool transposed : {false, true}) {
    Case test = case_of(Routine::kSgemm, 4096, 24, 333);
    test.inputs = Inputs::kRandom;
    test.transa = transposed ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
    test.alpha = 0.6f;
    Problem many = draw_problem(test, 2);
    Placement all(many, LIBSGEMM_COL_MAJOR);
    REQUIRE(call(test.routine, handle, all.args()) == LIBSGEMM_SUCCESS);
    for (const int64_t row : {int64_t{0}, int64_t{1}, int64_t{127}, int64_t{128}, int64_t{4095}}) {
      test.m = 1;
      Problem one = draw_problem(test, 2);
      one.b = many.b;
      for (int64_t l = 0; l < test.k; ++l)
        (transposed ? one.a.at(l, 0) : one.a.at(0, l)) = transposed ? many.a.at(l, row) : many.a.at(row, l);
      Placement alone(one, LIBSGEMM_COL_MAJOR);
      REQUIRE(call(test.routine, handle, alone.args()) == LIBSGEMM_SUCCESS);
      int different = 0;
      for (int64_t j = 0; j < test.n; ++j) {
        different += bits_of(alone.c()[alone.index_in_c(0, j)]) != bits_of(all.c()[all.index_in_c(row, j)]) ? 1 : 0;
      }
      INFO("row " << row);
      CHECK(different == 0);
    }
  }
}

// More than one tile, whose sides are at most 1024, and for some routines work enough for several threads. ref has its
// own test.
TEST_CASE("tiles that threads share have the bits of ref") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  if (subject().backend != "cpu") return;
  const InvariantHandle handle(mode), by_ref(mode, "ref");
  for (const Routine routine : kSingleRoutines) {
    for (int way = 0; way < 4; ++way) {
      Case test = way % 2 == 0 ? case_of(routine, 1060, 130, 200) : case_of(routine, 130, 1060, 200);
      test.inputs = Inputs::kRandom;
      test.transa = test.transb = way % 2 != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.side = way % 2 != 0 ? LIBSGEMM_RIGHT : LIBSGEMM_LEFT;
      test.uplo = way / 2 != 0 ? LIBSGEMM_LOWER : LIBSGEMM_UPPER;
      const Problem problem = draw_problem(test, 7);
      Placement here(problem, LIBSGEMM_COL_MAJOR), there(problem, LIBSGEMM_COL_MAJOR);
      REQUIRE(call(routine, handle, here.args()) == LIBSGEMM_SUCCESS);
      REQUIRE(call(routine, by_ref, there.args()) == LIBSGEMM_SUCCESS);
      int different = 0;
      for (int64_t at = 0; at <= here.index_in_c(problem.c.rows - 1, problem.c.columns - 1); ++at) {
        different += bits_of(here.c()[at]) != bits_of(there.c()[at]) ? 1 : 0;
      }
      INFO(describe(test));
      CHECK(different == 0);
    }
  }
}

TEST_CASE("products of a batch have the bits that they have alone") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  const InvariantHandle handle(mode);
  for (const Routine routine : kStridedRoutines) {
    Case test = case_of(single_of(routine), 65, 33, 300);
    test.inputs = Inputs::kRandom;
    test.beta = is_in_place(test.routine) ? 0.0f : 1.5f;
    for (const int count : {1, 17}) {
      std::vector<Problem> problems;
      for (int i = 0; i < count; ++i) problems.push_back(draw_problem(test, static_cast<uint64_t>(i) + 1));
      std::vector<const Problem *> pointers;
      for (const Problem &problem : problems) pointers.push_back(&problem);
      Placement placement(pointers, LIBSGEMM_COL_MAJOR, {70 * 310, 310 * 40, 70 * 70});
      INFO(entry_name(routine) << " " << count);
      REQUIRE(call(routine, handle, placement.args()) == LIBSGEMM_SUCCESS);
      CHECK(placement.check(chain_of(mode)) == "");
    }
  }
}

TEST_CASE("math modes that are less exact do not matter") {
  Case test = case_of(Routine::kSgemm, 60, 50, 400);
  test.inputs = Inputs::kRandom;
  const Problem problem = draw_problem(test, 9);
  for (const libsgemm_math_mode_t mode : kOtherModes) {
    if (mode == LIBSGEMM_MATH_FP64) continue;
    const InvariantHandle handle(LIBSGEMM_MATH_FP32);
    REQUIRE(libsgemm_set_math_mode(handle, mode) == LIBSGEMM_SUCCESS);
    INFO(name_of(mode));
    check_all(handle, problem);
  }
}

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

bool is_one_of_ref(const std::string &kernel, libsgemm_math_mode_t mode) {
  const std::string end = mode == LIBSGEMM_MATH_FP64 ? "_fp64" : "_chain";
  return kernel.rfind("cpu_", 0) == 0 && kernel.size() > end.size() && kernel.substr(kernel.size() - end.size()) == end;
}

// The GPU has a kernel of this order.
bool on_gpu(Routine routine) { return subject().is_gpu && routine != Routine::kStrsm; }

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

TEST_CASE("who computes: a GPU what it has kernels for, ref all else") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  const InvariantHandle handle(mode);
  for (const Routine routine : kSingleRoutines) {
    INFO(entry_name(routine));
    Placement placement(draw_problem(case_of(routine, 100, 100, 100), 1), LIBSGEMM_COL_MAJOR);
    REQUIRE(call(routine, handle, placement.args()) == LIBSGEMM_SUCCESS);
    const libsgemm_info_t info = last_info();
    CHECK(std::string(info.backend) == (on_gpu(routine) ? subject().backend : "ref"));
    CHECK(is_one_of_ref(info.kernel, mode) == !on_gpu(routine));
    const bool passed_over = subject().backend != "ref" && !on_gpu(routine);
    CHECK((std::string(info.reason).find("LIBSGEMM_DETERMINISTIC=invariant") != std::string::npos) == passed_over);
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
        CHECK((status == LIBSGEMM_SUCCESS) == (is_one_of_ref(kernel, mode) && (anywhere || ran > 0)));
      }
    }
  }
  CHECK((ran > 0) == (subject().backend != "openblas"));
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

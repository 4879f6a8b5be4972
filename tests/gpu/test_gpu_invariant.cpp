// LIBSGEMM_DETERMINISTIC_INVARIANT on a GPU gives the FMA order of libsgemm.h.
#include <string>
#include <vector>

#include "gpu_placement.h"
#include "routines/invariant.h"
#include "support/part.h"

using namespace sgemm_test;
using gpu::DevicePlacement;

std::string sgemm_test::skip_reason() { return gpu::missing(); }

namespace {

bool has_row(Routine routine) { return routine != Routine::kStrsm; }

std::string run(const InvariantHandle &handle, const Problem &problem, libsgemm_layout_t layout,
                bool *declined = nullptr) {
  Placement host(problem, layout);
  DevicePlacement device(&host, problem);
  const libsgemm_status_t status = call(problem.test.routine, handle, device.args());
  if (declined != nullptr && status == LIBSGEMM_NOT_SUPPORTED) {
    *declined = true;
    return device.check_untouched();
  }
  if (status != LIBSGEMM_SUCCESS) return last_info().message;
  if (libsgemm_synchronize(handle) != LIBSGEMM_SUCCESS) return last_info().message;
  const bool other = !needs_no_backend(problem.test) && std::string(last_info().backend) != subject().backend;
  return other ? std::string("computed by ") + last_info().backend : device.check(chain_of(handle.mode));
}

}  // namespace

TEST_CASE("every routine on device pointers gives the bits of its chains") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  const InvariantHandle handle(mode);
  for (const Routine routine : kSingleRoutines) {
    if (!has_row(routine)) continue;
    DYNAMIC_SECTION(entry_name(routine)) {
      for (const Case &test : invariant_cases(routine, mode, static_cast<size_t>(3 * one_in()))) {
        const Problem problem = draw_problem(test, 5);
        for (const libsgemm_layout_t layout : kLayouts) {
          INFO(describe(test) << " layout " << layout);
          CHECK(run(handle, problem, layout) == "");
        }
      }
    }
  }
}

TEST_CASE("a solver on device pointers is refused by name") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  const InvariantHandle handle(mode);
  const Problem problem = draw_problem(case_of(Routine::kStrsm, 40, 40, 40), 1);
  bool declined = false;
  CHECK(run(handle, problem, LIBSGEMM_COL_MAJOR, &declined) == "");
  CHECK(declined);
  CHECK(std::string(last_info().message).find("LIBSGEMM_DETERMINISTIC=invariant") != std::string::npos);
}

TEST_CASE("each kernel by force, on shapes small and large, gives the same bits or does nothing") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  std::vector<Problem> problems;
  for (const Routine routine : kSingleRoutines) {
    for (const int64_t size : {20, 150, 300}) {
      for (const int way : {0, 1, 2, 3}) {
        const bool several_chains = mode == LIBSGEMM_MATH_FP64 && way == 1 && size < 300;
        Case test = case_of(routine, size, size - way, size + (several_chains ? 2100 : 333));
        test.inputs = Inputs::kRandom;
        test.transa = way % 2 != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
        test.transb = way / 2 != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
        const bool has_beta = routine != Routine::kStrmm && routine != Routine::kStrsm;
        test.beta = has_beta && way % 2 != 0 ? -1.7f : 0.0f;
        test.alpha = way == 2 ? 0.9f : 1.0f;
        test.offset = way == 3 ? 1 : 0;
        if (way == 0) test.padding = {0, 0, 0};
        problems.push_back(draw_problem(test, 8));
      }
    }
  }
  int kernels = 0;
  for (const std::string &kernel : subject().kernels) {
    InvariantHandle handle(mode);
    REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
    bool ran = false;
    for (const Problem &problem : problems) {
      if (!is_marked(kernel, mode) && problem.test.m > 20) continue;  // small problems show that the kernel declines
      bool declined = false;
      INFO(kernel << " " << describe(problem.test));
      CHECK(run(handle, problem, LIBSGEMM_COL_MAJOR, &declined) == "");
      ran = ran || !declined;
    }
    kernels += ran ? 1 : 0;
    if (!is_marked(kernel, mode)) CHECK_FALSE(ran);
  }
  const int hip_kernels = mode == LIBSGEMM_MATH_FP64 ? 1 : 4;
  CHECK(kernels >= (subject().backend == "cuda" ? 15 : hip_kernels));
}

TEST_CASE("products of thousands, aligned and not, chosen by the backend") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  const InvariantHandle handle(mode);
  for (const int64_t size : {1023, 1536}) {
    for (const int way : {0, 1, 2, 3}) {
      Case test = case_of(Routine::kSgemm, size, size, 200);
      test.inputs = Inputs::kRandom;
      test.transa = way % 2 != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.transb = way / 2 != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.beta = 0.5f;
      test.padding = {0, 0, 0};
      INFO(describe(test));
      CHECK(run(handle, draw_problem(test, 4), LIBSGEMM_COL_MAJOR) == "");
    }
  }
}

TEST_CASE("numbers at the ends of the range on device pointers") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  const InvariantHandle handle(mode);
  for (const int64_t k : {1, 2, 9, 40}) {
    for (const int64_t size : {13, 130, 500}) {
      Case test = case_of(Routine::kSgemm, size, size, k);
      test.inputs = Inputs::kRandom;
      test.alpha = -1;
      const Problem problem = draw_problem(test, 1, fill_with_extremes, fill_with_extremes, fill_with_extremes);
      INFO(describe(test));
      CHECK(run(handle, problem, LIBSGEMM_COL_MAJOR) == "");
    }
  }
}

TEST_CASE("host memory in tiles, whose k stays whole, gives the bits of the product in one") {
  const libsgemm_math_mode_t mode = each_chain_mode();
  const InvariantHandle handle(mode);
  for (const size_t limit : {size_t{0}, size_t{6} << 20}) {
    REQUIRE(libsgemm_set_memory_limits(limit, 0) == LIBSGEMM_SUCCESS);
    for (const Routine routine : kSingleRoutines) {
      if (!has_row(routine) || routine == Routine::kSsymm || routine == Routine::kStrmm) continue;
      Case test = case_of(routine, 900, 800, 1000);
      test.inputs = Inputs::kRandom;
      test.beta = 0.5f;
      const Problem problem = draw_problem(test, 6);
      Placement placement(problem, LIBSGEMM_COL_MAJOR);
      INFO(entry_name(routine) << " in " << limit);
      REQUIRE(call(routine, handle, placement.args()) == LIBSGEMM_SUCCESS);
      const libsgemm_info_t info = last_info();
      const bool whole = routine == Routine::kSsyr2k && limit != 0;  // too large: tiles would break its order
      CHECK((std::string(info.backend) == subject().backend) == !whole);
      if (limit != 0 && !whole) CHECK(info.tiles > 1);
      CHECK(placement.check(chain_of(mode)) == "");
    }
  }
  REQUIRE(libsgemm_set_memory_limits(0, 0) == LIBSGEMM_SUCCESS);
}

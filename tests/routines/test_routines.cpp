#include <map>
#include <optional>
#include <set>

#include "support/catch.h"
#include "support/check.h"
#include "support/numbers.h"
#include "support/part.h"
#include "support/subject.h"
#include "support/ways.h"

using namespace sgemm_test;

namespace {

void run_problem(const Problem &problem, libsgemm_layout_t layout, Ways *ways, Failures *failures) {
  const bool none = needs_no_backend(problem.test);
  Placement placement(problem, layout);
  for (Way &way : ways->all()) {
    placement.restore();
    const libsgemm_status_t status = way.handle == nullptr ? call(problem.test.routine, placement.args())
                                                           : call(problem.test.routine, *way.handle, placement.args());
    const std::string fault = ways->judge(&way, entry_name(problem.test.routine), none, status, &placement);
    if (!fault.empty()) {
      failures->add(describe(problem.test) + (layout == LIBSGEMM_ROW_MAJOR ? " row-major" : " column-major") + " " +
                    way.description() + ": " + fault);
    }
  }
}

}  // namespace

TEST_CASE("every case of every routine gives the right result in every way of calling it") {
  for (const Routine routine : kSingleRoutines) {
    DYNAMIC_SECTION(entry_name(routine)) {
      Ways ways;
      Failures failures;
      const std::vector<Case> cases = cases_of(routine);
      REQUIRE(cases.size() > 500);
      const int part = one_in();
      Random random(2026);  // a fixed step through the table would miss whole options
      for (const Case &test : cases) {
        std::optional<Problem> problem;
        for (const libsgemm_layout_t layout : kLayouts) {
          if (random.integer(1, part) != 1) continue;
          if (!problem) problem = make_problem(test);
          run_problem(*problem, layout, &ways, &failures);
        }
      }
      failures.report();
      int ran = 0;
      for (const Way &way : ways.all()) {
        INFO(way.description() << ": " << way.ran << " ran, " << way.declined << " declined");
        if (way.kernel.empty()) {
          CHECK(way.declined == 0);
          CHECK(way.ran > 500 / part);
        } else {
          ran += way.ran > 0 ? 1 : 0;
        }
      }
      CHECK(ran > 0);
    }
  }
}

TEST_CASE("the table covers what it says") {
  for (const Routine routine : kSingleRoutines) {
    DYNAMIC_SECTION(entry_name(routine)) {
      std::set<std::pair<int64_t, int64_t>> sizes;
      std::set<std::pair<float, float>> factors;
      std::set<int> orders;
      std::map<Inputs, int> inputs;
      int unequal = 0;
      for (const Case &test : cases_of(routine)) {
        sizes.insert({test.m, test.n});
        factors.insert({test.alpha, test.beta});
        ++inputs[test.inputs];
        if (test.m != test.n && test.n != test.k && test.m != test.k) {
          orders.insert((test.m < test.n ? 1 : 0) + (test.n < test.k ? 2 : 0) + (test.m < test.k ? 4 : 0));
          ++unequal;
        }
        const Padding &padding = test.padding;
        const bool tight = padding.a == 0 && padding.b == 0 && padding.c == 0;
        CHECK((tight || (padding.a != padding.b && padding.b != padding.c && padding.a != padding.c)));
      }
      CHECK(sizes.count({0, 0}) == 1);
      for (const int tile : {8, 16, 32, 64, 128}) {
        for (int m = tile - 1; m <= tile + 1; ++m) CHECK(sizes.count({m, m}) == 1);
      }
      const bool in_place = routine == Routine::kStrmm || routine == Routine::kStrsm;
      CHECK(factors.size() == (in_place ? 6 : 5 * 4 + 4 * 4 - 3 * 3));
      CHECK(inputs[Inputs::kExact] > 200);
      CHECK(inputs[Inputs::kRandom] > 200);
      if (of_floats(routine) == Routine::kSgemm) {
        CHECK(orders.size() == 6);
        CHECK(unequal > 100);
      }
    }
  }
}

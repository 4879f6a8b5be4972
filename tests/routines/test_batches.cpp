#include <cstring>

#include "support/catch.h"
#include "support/check.h"
#include "support/numbers.h"
#include "support/subject.h"
#include "support/ways.h"

using namespace sgemm_test;

namespace {

std::vector<Case> some_cases(Routine product, size_t step) {
  std::vector<Case> some;
  const std::vector<Case> all = cases_of(product);
  for (size_t i = 0; i < all.size(); i += step) {
    if (all[i].m * all[i].n * all[i].k <= 70 * 70 * 70) some.push_back(all[i]);
  }
  return some;
}

Strides strides_of(const Problem &first, libsgemm_layout_t layout, Sharing sharing) {
  const Args shape = Placement(first, layout).args();
  Strides strides;
  strides.a = sharing.a ? 0 : extent_of(layout, shape.lda, first.a.rows, first.a.columns) + 5;
  strides.b = sharing.b ? 0 : extent_of(layout, shape.ldb, first.b.rows, first.b.columns);
  strides.c = extent_of(layout, shape.ldc, first.c.rows, first.c.columns) + 1;
  return strides;
}

void run_strided(const Case &test, Routine routine, libsgemm_layout_t layout, int count, Sharing sharing, Ways *ways,
                 Failures *failures) {
  const std::vector<Problem> problems = make_batch(test, count, sharing);
  std::vector<const Problem *> pointers;
  for (const Problem &problem : problems) pointers.push_back(&problem);
  Placement placement(pointers, layout, strides_of(problems.front(), layout, sharing));
  for (Way &way : ways->all()) {
    placement.restore();
    const libsgemm_status_t status =
        way.handle == nullptr ? call(routine, placement.args()) : call(routine, *way.handle, placement.args());
    const std::string fault = ways->judge(&way, entry_name(routine), needs_no_backend(test), status, &placement);
    if (!fault.empty()) {
      failures->add(describe(test) + " " + std::to_string(count) + " times, layout " + std::to_string(layout) + ", " +
                    way.description() + ": " + fault);
    }
  }
}

class GroupBatch {
 public:
  GroupBatch(libsgemm_layout_t layout, const std::vector<std::vector<Problem>> &groups) {
    batch_.layout = layout;
    for (const std::vector<Problem> &group : groups) {
      for (const Problem &problem : group) {
        products_.push_back(std::make_unique<Placement>(problem, layout));
        a_.push_back(products_.back()->args().a);
        b_.push_back(products_.back()->args().b);
        c_.push_back(products_.back()->args().c);
      }
      add_group(group);
    }
    batch_.transa = transa_.data();
    batch_.transb = transb_.data();
    batch_.m = m_.data();
    batch_.n = n_.data();
    batch_.k = k_.data();
    batch_.alpha = alpha_.data();
    batch_.beta = beta_.data();
    batch_.a = a_.data();
    batch_.b = b_.data();
    batch_.c = c_.data();
    batch_.lda = lda_.data();
    batch_.ldb = ldb_.data();
    batch_.ldc = ldc_.data();
    batch_.group_count = static_cast<int64_t>(size_.size());
    batch_.group_size = size_.data();
  }

  const BatchArgs &args() const { return batch_; }

  std::string check(const Arithmetic &how) {
    for (size_t i = 0; i < products_.size(); ++i) {
      const std::string fault = products_[i]->check(how);
      if (!fault.empty()) return "product " + std::to_string(i) + ": " + fault;
    }
    return "";
  }

 private:
  // An empty group still needs legal parameters.
  void add_group(const std::vector<Problem> &group) {
    const Args args = group.empty() ? Args() : products_.back()->args();
    size_.push_back(static_cast<int64_t>(group.size()));
    transa_.push_back(args.transa);
    transb_.push_back(args.transb);
    m_.push_back(args.m);
    n_.push_back(args.n);
    k_.push_back(args.k);
    alpha_.push_back(args.alpha);
    beta_.push_back(args.beta);
    lda_.push_back(args.lda);
    ldb_.push_back(args.ldb);
    ldc_.push_back(args.ldc);
  }

  BatchArgs batch_;
  std::vector<std::unique_ptr<Placement>> products_;
  std::vector<const void *> a_, b_;
  std::vector<float *> c_;
  std::vector<libsgemm_op_t> transa_, transb_;
  std::vector<int64_t> m_, n_, k_, lda_, ldb_, ldc_, size_;
  std::vector<float> alpha_, beta_;
};

void run_groups(Element element, const std::vector<std::vector<Problem>> &groups, libsgemm_layout_t layout, Ways *ways,
                Failures *failures) {
  bool no_backend = true;
  std::string description;
  for (const std::vector<Problem> &group : groups) {
    description += std::to_string(group.size()) + " x ";
    description += group.empty() ? "nothing; " : describe(group.front().test) + "; ";
    if (!group.empty() && !needs_no_backend(group.front().test)) no_backend = false;
  }
  for (Way &way : ways->all()) {
    GroupBatch batch(layout, groups);
    const libsgemm_status_t status =
        way.handle == nullptr ? call_batch(element, batch.args()) : call_batch(element, *way.handle, batch.args());
    // A kernel may decline a group after earlier ones, so matrices may change.
    const std::string fault = ways->judge(
        &way, batch_entry_name(element), no_backend, status,
        [&batch](const Arithmetic &how) { return batch.check(how); }, [] { return std::string(); });
    if (!fault.empty()) failures->add(description + way.description() + ": " + fault);
  }
}

}  // namespace

TEST_CASE("strided batches give what their products give") {
  for (const Routine routine : kStridedRoutines) {
    DYNAMIC_SECTION(entry_name(routine)) {
      Ways ways;
      Failures failures;
      int turn = 0;
      // The table has far more cases of products.
      const size_t step = product_of(element_of(routine)) == single_of(routine) ? 23 : 7;
      for (const Case &test : some_cases(single_of(routine), step)) {
        const int count = turn % 16 == 0 ? 17 : 1 + turn % 4;
        const Sharing sharing = {turn % 3 == 1, turn % 5 == 2};
        const libsgemm_layout_t layout = turn % 2 == 0 ? LIBSGEMM_COL_MAJOR : LIBSGEMM_ROW_MAJOR;
        run_strided(test, routine, layout, count, sharing, &ways, &failures);
        ++turn;
      }
      failures.report();
      CHECK(turn > 100);
      CHECK(ways.all()[0].ran > 50);
      CHECK(ways.all()[1].ran > 50);
    }
  }
}

// On a GPU other kernels may compute the steps of a batch.
TEST_CASE("each product of a strided batch has the bits that it has as a call of its own, in every kernel") {
  if (subject().is_gpu) {
    SUCCEED("of a CPU");
    return;
  }
  for (const Routine routine : kStridedRoutines) {
    const int64_t size = element_of(routine) == Element::kFloat ? 4 : 2;
    Ways ways;
    int compared = 0;
    for (Case test : some_cases(single_of(routine), 41)) {
      if (needs_no_backend(test)) continue;
      test.inputs = Inputs::kRandom;
      const Sharing sharing = {compared % 2 == 0, false};
      const std::vector<Problem> problems = make_batch(test, 3, sharing);
      std::vector<const Problem *> pointers;
      for (const Problem &problem : problems) pointers.push_back(&problem);
      const libsgemm_layout_t layout = kLayouts[compared % 2];
      const Strides strides = strides_of(problems.front(), layout, sharing);
      Placement together(pointers, layout, strides), alone(pointers, layout, strides);
      for (Way &way : ways.all()) {
        if (way.kernel.empty()) continue;
        together.restore();
        alone.restore();
        if (call(routine, *way.handle, together.args()) == LIBSGEMM_NOT_SUPPORTED) continue;
        const std::string kernel = last_info().kernel;
        libsgemm_status_t status = LIBSGEMM_SUCCESS;
        for (int64_t i = 0; i < 3 && status == LIBSGEMM_SUCCESS; ++i) {
          Args args = alone.args();
          args.a = static_cast<const char *>(args.a) + i * args.stride_a * size;
          args.b = static_cast<const char *>(args.b) + i * args.stride_b * size;
          args.c += i * args.stride_c;
          status = call(single_of(routine), *way.handle, args);
        }
        if (status == LIBSGEMM_NOT_SUPPORTED) continue;
        INFO(describe(test) << " " << way.description());
        REQUIRE(status == LIBSGEMM_SUCCESS);
        REQUIRE(last_info().kernel == kernel);
        const int64_t last =
            together.args().stride_c * 2 + together.index_in_c(problems[0].c.rows - 1, problems[0].c.columns - 1);
        REQUIRE(std::memcmp(together.c(), alone.c(), static_cast<size_t>(last + 1) * sizeof(float)) == 0);
        ++compared;
      }
    }
    INFO(entry_name(routine));
    CHECK(compared > 20);
  }
}

TEST_CASE("group batches give what their products give") {
  for (const Element element : {Element::kFloat, Element::kHalf, Element::kBfloat16}) {
    DYNAMIC_SECTION(batch_entry_name(element)) {
      Ways ways;
      Failures failures;
      const std::vector<Case> cases = some_cases(product_of(element), 31);
      REQUIRE(cases.size() > 100);
      for (size_t i = 0; i + 4 < cases.size(); i += 4) {
        // In every second batch a middle group is empty.
        std::vector<std::vector<Problem>> groups;
        for (size_t g = 0; g < 4; ++g) {
          const int count = g == 2 && (i / 4) % 2 == 0 ? 0 : 1 + static_cast<int>((i / 4 + g) % 3);
          groups.push_back(make_batch(cases[i + g], count, {false, false}));
        }
        run_groups(element, groups, (i / 4) % 2 == 0 ? LIBSGEMM_ROW_MAJOR : LIBSGEMM_COL_MAJOR, &ways, &failures);
      }
      failures.report();
      CHECK(ways.all()[0].ran > 20);
      CHECK(ways.all()[1].ran > 20);
    }
  }
}

TEST_CASE("batches give what their products give in every math mode") {
  for (const libsgemm_math_mode_t mode : kOtherModes) {
    DYNAMIC_SECTION(name_of(mode)) {
      Ways ways(mode);
      Failures failures;
      const std::vector<Case> cases = some_cases(Routine::kSgemm, 67);
      for (size_t i = 0; i + 2 < cases.size(); i += 2) {
        const libsgemm_layout_t layout = kLayouts[i / 2 % 2];
        run_strided(cases[i], Routine::kSgemmStrided, layout, 3, {i % 4 == 0, i % 6 == 0}, &ways, &failures);
        const std::vector<Problem> group = make_batch(cases[i + 1], 2, {false, false});
        run_groups(Element::kFloat, {group}, layout, &ways, &failures);
      }
      failures.report();
      const Way &way = ways.all().front();
      CHECK(way.declined == 0);
      CHECK(way.ran > 20);
      if (always_has(mode)) CHECK(way.ran_in_mode == way.ran);
    }
  }
}

TEST_CASE("empty batches do nothing") {
  Ways ways;
  for (const Element element : {Element::kFloat, Element::kHalf, Element::kBfloat16}) {
    Failures failures;
    run_groups(element, {}, LIBSGEMM_COL_MAJOR, &ways, &failures);
    run_groups(element, {{}, {}}, LIBSGEMM_ROW_MAJOR, &ways, &failures);
    failures.report();
  }
  for (const Routine routine : kStridedRoutines) {
    Args args;
    args.m = args.n = args.k = 4;
    args.lda = args.ldb = args.ldc = 4;
    args.batch_count = 0;
    CHECK(call(routine, args) == LIBSGEMM_SUCCESS);  // with NULL matrices
    CHECK(std::string(last_info().backend) == "none");
  }
}

// Offload aligns columns, so kernels for unaligned ones never run here; test_gpu has them.
TEST_CASE("every kernel of the table runs by force") {
  if (subject().is_gpu) {
    SUCCEED("in test_gpu, in device memory");
    return;
  }
  Ways ways;
  REQUIRE(subject().kernels.size() > 0);
  for (Way &way : ways.all()) {
    if (way.kernel.empty()) continue;
    INFO(way.kernel);
    const auto run = [&ways, &way](Routine routine, Placement *placement) {
      const libsgemm_status_t status = call(routine, *way.handle, placement->args());
      REQUIRE(ways.judge(&way, entry_name(routine), false, status, placement) == "");
    };
    for (const Routine routine : kSingleRoutines) {
      for (const Case &test : tries_of(routine)) {
        if (way.ran > 0) break;
        const Problem problem = make_problem(test);
        Placement placement(problem, LIBSGEMM_COL_MAJOR);
        run(routine, &placement);
      }
    }
    for (const Routine routine : kStridedRoutines) {
      if (way.ran > 0) break;
      const Problem problem = make_problem(case_of(single_of(routine), 16, 16, 16));
      Placement placement({&problem, &problem}, LIBSGEMM_COL_MAJOR, {0, 0, 400});
      run(routine, &placement);
    }
    CHECK(way.ran > 0);
  }
}

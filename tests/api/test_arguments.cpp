#include <algorithm>
#include <set>

#include "support/catch.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/numbers.h"

using namespace sgemm_test;

namespace {

// C is 2 x 2, so one leading dimension decides about overflow.
Case case_of(Routine routine) {
  Case test;
  test.routine = routine;
  const bool square = writes_triangle(routine);
  test.n = 2;
  test.m = square ? 2 : 3;
  test.k = 4;
  test.padding = {2, 3, 4};
  test.beta = 1;
  const bool has_order = routine == Routine::kSsymm || routine == Routine::kStrmm || routine == Routine::kStrsm;
  if (has_order) test.k = test.m;
  if (routine == Routine::kStrmm || routine == Routine::kStrsm) test.beta = 0;
  return test;
}

}  // namespace

TEST_CASE("every argument of every routine wrong in turn") {
  std::set<std::string> kinds;
  Handle handle;
  for (const Routine routine : kSingleRoutines) {
    const Problem problem = make_problem(case_of(routine));
    for (const libsgemm_layout_t layout : kLayouts) {
      Placement right(problem, layout);
      for (const Fault &fault : faults_of(routine, right.args(), problem.test.padding)) {
        kinds.insert(entry_name(routine) + " " + fault.parameter + " " + fault.label);
        for (const bool with_handle : {false, true}) {
          Placement placement(problem, layout);
          Args args = fault.args;
          if (args.a != nullptr) args.a = placement.args().a;
          if (args.b != nullptr) args.b = placement.args().b;
          if (args.c != nullptr) args.c = placement.args().c;
          const libsgemm_status_t status = with_handle ? call(routine, handle, args) : call(routine, args);
          INFO(entry_name(routine) << " layout " << layout << " " << fault.parameter << " = " << fault.label);
          CHECK(misreported(status, entry_name(routine) + (with_handle ? "_h" : ""), parameters(routine),
                            fault.parameter) == "");
          CHECK(placement.check_untouched() == "");
        }
      }
      REQUIRE(call(routine, right.args()) == LIBSGEMM_SUCCESS);
      CHECK(last_info().argument == 0);
      CHECK(std::string(last_info().message) == "");
      CHECK(right.check() == "");
    }
  }
  INFO(kinds.size() << " kinds of wrong arguments");
  CHECK(kinds.size() >= 200);
}

TEST_CASE("leading dimensions count columns in row-major and rows in column-major") {
  // lda = 5 suffices for column-major only, ldb for row-major only.
  std::vector<float> a(64, 1.0f), b(64, 1.0f), c(64, 0.0f);
  const auto multiply = [&](libsgemm_layout_t layout, int64_t lda, int64_t ldb, int64_t ldc) {
    return libsgemm_sgemm(layout, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 3, 2, 7, 1, a.data(), lda, b.data(), ldb, 0,
                          c.data(), ldc);
  };
  CHECK(multiply(LIBSGEMM_COL_MAJOR, 3, 7, 3) == LIBSGEMM_SUCCESS);
  CHECK(multiply(LIBSGEMM_ROW_MAJOR, 7, 2, 2) == LIBSGEMM_SUCCESS);
  CHECK(multiply(LIBSGEMM_ROW_MAJOR, 5, 2, 2) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 9);
  CHECK(multiply(LIBSGEMM_COL_MAJOR, 5, 6, 3) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 11);
  CHECK(multiply(LIBSGEMM_COL_MAJOR, 5, 7, 2) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 14);
}

TEST_CASE("the first of several wrong arguments is reported") {
  float x = 5;
  CHECK(libsgemm_sgemm(LIBSGEMM_COL_MAJOR, static_cast<libsgemm_op_t>(110), LIBSGEMM_NO_TRANS, -1, -1, -1, 1, nullptr,
                       0, nullptr, 0, 1, &x, 0) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 2);
  CHECK(libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_TRANS, LIBSGEMM_NO_TRANS, 1, -1, -1, 1, nullptr, 0, nullptr, 0, 1,
                       &x, 0) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 5);
  CHECK(libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_TRANS, LIBSGEMM_NO_TRANS, 1, 1, 1, 1, nullptr, 0, nullptr, 0, 1, &x,
                       0) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 9);
  CHECK(x == 5);
}

TEST_CASE("arguments are checked where nothing would be computed") {
  for (const Routine routine : kSingleRoutines) {
    for (const bool empty : {true, false}) {
      Args args;
      args.m = args.n = empty ? 0 : 3;
      args.k = 3;
      args.alpha = empty ? 1.0f : 0.0f;
      args.lda = args.ldb = args.ldc = 3;
      float c[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
      args.c = c;
      args.lda = 0;
      INFO(entry_name(routine) << " empty " << empty);
      CHECK(misreported(call(routine, args), entry_name(routine), parameters(routine), "lda") == "");
      CHECK(c[8] == 9);
    }
  }
}

namespace {

constexpr int64_t kHuge = INT64_MAX;

std::vector<Routine> all_routines() {
  std::vector<Routine> routines = kSingleRoutines;
  routines.insert(routines.end(), kStridedRoutines.begin(), kStridedRoutines.end());
  return routines;
}

Args args_of_nothing(libsgemm_layout_t layout) {
  Args args;
  args.layout = layout;
  args.m = args.n = args.k = args.lda = args.ldb = args.ldc = kHuge;
  args.stride_a = args.stride_b = args.stride_c = args.batch_count = kHuge;
  return args;
}

void check_accepted(Routine routine, const Args &args, const std::string &what) {
  const libsgemm_status_t status = call(routine, args);
  INFO(entry_name(routine) << ": " << what << ": " << last_info().message);
  CHECK(status == LIBSGEMM_SUCCESS);
  CHECK(last_info().argument == 0);
}

}  // namespace

TEST_CASE("where C is empty the sizes of the rest do not matter") {
  for (const Routine routine : all_routines()) {
    for (const libsgemm_layout_t layout : kLayouts) {
      for (const std::string size : {"m", "n", "batch_count"}) {
        if (!has_parameter(routine, size)) continue;
        Args args = args_of_nothing(layout);
        (size == "m" ? args.m : size == "n" ? args.n : args.batch_count) = 0;
        check_accepted(routine, args, size + " = 0");
        args.lda = 0;  // wrong even without an access
        CHECK(misreported(call(routine, args), entry_name(routine), parameters(routine), "lda") == "");
      }
    }
  }
}

TEST_CASE("where A and B are not read their sizes do not matter, and that of C does") {
  for (const Routine routine : all_routines()) {
    const bool in_place = !has_parameter(routine, "ldc");
    for (const libsgemm_layout_t layout : kLayouts) {
      for (const std::string zero : {"alpha", "k"}) {
        if (!has_parameter(routine, zero)) continue;
        float c[4] = {1, 2, 3, 4};
        Args args = args_of_nothing(layout);
        args.m = args.n = args.ldc = 2;
        args.stride_c = 4;
        args.batch_count = 1;
        args.c = c;
        args.beta = in_place ? 0 : 2;
        if (zero == "k") args.k = 0;
        if (zero == "alpha") args.alpha = 0;
        check_accepted(routine, args, zero + " = 0");
        CHECK(c[0] == (in_place ? 0 : 2));
        CHECK(c[3] == (in_place ? 0 : 8));
        args.ldc = kHuge;
        CHECK(misreported(call(routine, args), entry_name(routine), parameters(routine), in_place ? "ldb" : "ldc") ==
              "");
      }
    }
  }
}

namespace {

struct Block {
  int64_t start, ld;
  libsgemm_layout_t layout;
  int64_t at(int64_t i, int64_t j) const { return start + index_of(layout, ld, i, j); }
};

std::set<int64_t> elements_of(const Block &block, const Matrix &x) {
  std::set<int64_t> elements;
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t j = 0; j < x.columns; ++j) {
      if (contains(x.region, i, j)) elements.insert(block.at(i, j));
    }
  }
  return elements;
}

bool disjoint(const std::set<int64_t> &x, const std::set<int64_t> &y) {
  for (const int64_t element : x) {
    if (y.count(element) != 0) return false;
  }
  return true;
}

// Three matrices in one array, as in LAPACK.
class OneArray {
 public:
  OneArray(Routine routine, Random *random) : problem_(make_problem(case_of_overlap(routine))) {
    for (float &value : array_) value = static_cast<float>(random->integer(-4, 4));
    const libsgemm_layout_t layout = random->integer(0, 1) == 0 ? LIBSGEMM_COL_MAJOR : LIBSGEMM_ROW_MAJOR;
    const bool common = random->integer(0, 3) != 0;
    for (Block *block : {&a_, &b_, &c_}) {
      *block = {random->integer(0, 150), common ? 17 : random->integer(6, 20), layout};
    }
    read(a_, &problem_.a);
    read(b_, &problem_.b);
    read(c_, &problem_.c);
    solve(&problem_);
  }

  bool legal() const {
    const std::set<int64_t> c = elements_of(c_, problem_.c);
    return disjoint(c, elements_of(a_, problem_.a)) && disjoint(c, elements_of(b_, problem_.b));
  }

  Args args() {
    Args args;
    args.layout = a_.layout;
    args.transa = problem_.test.transa;
    args.uplo = problem_.test.uplo;
    args.m = problem_.test.m;
    args.n = problem_.test.n;
    args.k = problem_.test.k;
    args.beta = problem_.test.beta;
    args.a = &array_[static_cast<size_t>(a_.start)];
    args.b = &array_[static_cast<size_t>(b_.start)];
    args.c = &array_[static_cast<size_t>(c_.start)];
    args.lda = a_.ld;
    args.ldb = b_.ld;
    args.ldc = c_.ld;
    return args;
  }

  const std::vector<float> &array() const { return array_; }

  std::string check(std::vector<float> before) const {
    Matrix result = problem_.c;
    read(c_, &result);
    for (const int64_t element : elements_of(c_, problem_.c)) {
      before[static_cast<size_t>(element)] = array_[static_cast<size_t>(element)];
    }
    if (before != array_) return "an element outside C changed";
    return compare(result, problem_.value, problem_.limit);
  }

 private:
  static Case case_of_overlap(Routine routine) {
    Case test;
    test.routine = routine;
    const bool square = writes_triangle(routine);
    test.m = square ? 4 : 5;
    test.n = 4;
    test.k = routine == Routine::kSsymm || routine == Routine::kStrmm ? 5 : 3;
    test.beta = routine == Routine::kStrmm ? 0.0f : 1.0f;
    return test;
  }

  void read(const Block &block, Matrix *x) const {
    for (int64_t i = 0; i < x->rows; ++i) {
      for (int64_t j = 0; j < x->columns; ++j) x->at(i, j) = array_[static_cast<size_t>(block.at(i, j))];
    }
  }

  Problem problem_;
  std::vector<float> array_ = std::vector<float>(400);
  Block a_ = {}, b_ = {}, c_ = {};
};

}  // namespace

TEST_CASE("C that shares an element with A or B is refused, interleaved blocks of one array are not") {
  Random random(5);
  for (const Routine routine : kSingleRoutines) {
    if (element_of(routine) != Element::kFloat || routine == Routine::kStrsm) continue;
    int legal = 0, interleaved = 0, illegal = 0;
    for (int repeat = 0; repeat < 1000; ++repeat) {
      OneArray x(routine, &random);
      const std::vector<float> before = x.array();
      const Args args = x.args();
      const libsgemm_status_t status = call(routine, args);
      INFO(entry_name(routine) << " layout " << args.layout << " A at "
                               << static_cast<const float *>(args.a) - before.data() << " lda " << args.lda << " ldb "
                               << args.ldb << " ldc " << args.ldc << " repeat " << repeat << " "
                               << last_info().message);
      if (x.legal()) {
        ++legal;
        interleaved += args.lda == args.ldc && std::abs(static_cast<const float *>(args.a) - args.c) < 40 ? 1 : 0;
        REQUIRE(status == LIBSGEMM_SUCCESS);
        REQUIRE(x.check(before) == "");
      } else {
        ++illegal;
        const std::string output = routine == Routine::kStrmm ? "B" : "C";
        REQUIRE(misreported(status, entry_name(routine), parameters(routine), output) == "");
        REQUIRE(x.array() == before);
      }
    }
    INFO(entry_name(routine));
    CHECK(legal > 100);
    CHECK(interleaved > 10);
    CHECK(illegal > 100);
  }
}

TEST_CASE("strsm refuses B that overlaps A") {
  std::vector<float> x(100, 1.0f);
  const std::vector<float> before = x;
  const auto solve_at = [&x](int64_t b) {
    return libsgemm_strsm(LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_LOWER, LIBSGEMM_NO_TRANS, LIBSGEMM_NON_UNIT, 4, 3,
                          1, x.data(), 10, &x[static_cast<size_t>(b)], 10);
  };
  CHECK(misreported(solve_at(3), "libsgemm_strsm", parameters(Routine::kStrsm), "B") == "");
  CHECK(misreported(solve_at(0), "libsgemm_strsm", parameters(Routine::kStrsm), "B") == "");
  CHECK(x == before);
  CHECK(solve_at(4) == LIBSGEMM_SUCCESS);   // below A
  CHECK(solve_at(40) == LIBSGEMM_SUCCESS);  // to the right of A
}

TEST_CASE("overlap is judged in bytes for the 16-bit types") {
  for (const Routine routine : {Routine::kShgemm, Routine::kSbgemm}) {
    std::vector<float> memory(64, 0.0f);
    Args args;
    args.m = args.n = args.k = 4;
    args.lda = args.ldb = args.ldc = 4;
    args.a = memory.data();       // 32 bytes
    args.b = memory.data() + 40;  // 32 bytes
    args.c = memory.data() + 7;   // byte 28: overlaps A's end
    CHECK(misreported(call(routine, args), entry_name(routine), parameters(routine), "C") == "");
    args.c = memory.data() + 8;
    CHECK(call(routine, args) == LIBSGEMM_SUCCESS);
    args.c = memory.data() + 24;
    CHECK(call(routine, args) == LIBSGEMM_SUCCESS);
    args.c = memory.data() + 25;
    CHECK(misreported(call(routine, args), entry_name(routine), parameters(routine), "C") == "");
  }
  for (const Routine routine : {Routine::kShsyrk, Routine::kSbsyrk}) {
    std::vector<float> memory(64, 0.0f);
    Args args;
    args.n = args.k = args.lda = args.ldc = 4;
    args.a = memory.data() + 16;  // 32 bytes
    args.c = memory.data() + 23;
    CHECK(misreported(call(routine, args), entry_name(routine), parameters(routine), "C") == "");
    args.c = memory.data() + 24;
    CHECK(call(routine, args) == LIBSGEMM_SUCCESS);
    args.c = memory.data();  // ends right before A
    CHECK(call(routine, args) == LIBSGEMM_SUCCESS);
    args.c = memory.data() + 1;
    CHECK(misreported(call(routine, args), entry_name(routine), parameters(routine), "C") == "");
  }
}

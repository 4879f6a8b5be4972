#include <algorithm>
#include <chrono>
#include <functional>
#include <set>

#include "support/catch.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/numbers.h"

using namespace sgemm_test;

namespace {

Case small_case(Routine routine) {
  Case test = case_of(routine, of_floats(routine) == Routine::kSsyrk ? 2 : 3, 2, 4);
  test.padding = {2, 3, 4};
  test.beta = 1;
  if (is_in_place(routine)) test.k = test.m, test.beta = 0;
  return test;
}

// A legal batch of groups of one and two products.
struct Groups {
  explicit Groups(Element element, libsgemm_layout_t layout) : problem(make_problem(small_case(product_of(element)))) {
    for (int i = 0; i < 3; ++i) {
      products.push_back(std::make_unique<Placement>(problem, layout));
      a.push_back(products.back()->args().a);
      b.push_back(products.back()->args().b);
      c.push_back(products.back()->args().c);
    }
    const Args &args = products.front()->args();
    lda.assign(2, args.lda);
    ldb.assign(2, args.ldb);
    ldc.assign(2, args.ldc);
    batch.layout = layout;
    batch.transa = transa.data();
    batch.transb = transb.data();
    batch.m = m.data();
    batch.n = n.data();
    batch.k = k.data();
    batch.alpha = alpha.data();
    batch.beta = beta.data();
    batch.a = a.data();
    batch.b = b.data();
    batch.c = c.data();
    batch.lda = lda.data();
    batch.ldb = ldb.data();
    batch.ldc = ldc.data();
    batch.group_count = 2;
    batch.group_size = size.data();
  }

  std::string check_untouched() {
    for (const auto &product : products) {
      const std::string damage = product->check_untouched();
      if (!damage.empty()) return damage;
    }
    return "";
  }

  Problem problem;
  std::vector<std::unique_ptr<Placement>> products;
  std::vector<const void *> a, b;
  std::vector<float *> c;
  std::vector<libsgemm_op_t> transa = {LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS};
  std::vector<libsgemm_op_t> transb = {LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS};
  std::vector<int64_t> m = {3, 3}, n = {2, 2}, k = {4, 4}, size = {1, 2}, lda, ldb, ldc;
  std::vector<float> alpha = {1, 1}, beta = {1, 1};
  BatchArgs batch;
};

struct GroupFault {
  const char *parameter;
  const char *label;
  bool in_group;  // in the second group, which the message must name
  std::function<void(Groups *)> seed;
};

const std::vector<GroupFault> &group_faults() {
  static const std::vector<GroupFault> faults = {
      {"layout", "0", false, [](Groups *x) { x->batch.layout = static_cast<libsgemm_layout_t>(0); }},
      {"layout", "103", false, [](Groups *x) { x->batch.layout = static_cast<libsgemm_layout_t>(103); }},
      {"transa", "NULL", false, [](Groups *x) { x->batch.transa = nullptr; }},
      {"transa", "110", true, [](Groups *x) { x->transa[1] = static_cast<libsgemm_op_t>(110); }},
      {"transb", "NULL", false, [](Groups *x) { x->batch.transb = nullptr; }},
      {"transb", "114", true, [](Groups *x) { x->transb[1] = static_cast<libsgemm_op_t>(114); }},
      {"m", "NULL", false, [](Groups *x) { x->batch.m = nullptr; }},
      {"m", "-1", true, [](Groups *x) { x->m[1] = -1; }},
      {"n", "NULL", false, [](Groups *x) { x->batch.n = nullptr; }},
      {"n", "-1", true, [](Groups *x) { x->n[1] = -1; }},
      {"k", "NULL", false, [](Groups *x) { x->batch.k = nullptr; }},
      {"k", "-1", true, [](Groups *x) { x->k[1] = -1; }},
      {"alpha", "NULL", false, [](Groups *x) { x->batch.alpha = nullptr; }},
      {"A", "NULL", false, [](Groups *x) { x->batch.a = nullptr; }},
      {"A", "NULL in it", true, [](Groups *x) { x->a[2] = nullptr; }},
      {"lda", "NULL", false, [](Groups *x) { x->batch.lda = nullptr; }},
      {"lda", "too small", true, [](Groups *x) { x->lda[1] -= x->problem.test.padding.a + 1; }},
      {"lda", "overflow", true, [](Groups *x) { x->lda[1] = INT64_MAX; }},
      {"B", "NULL", false, [](Groups *x) { x->batch.b = nullptr; }},
      {"B", "NULL in it", true, [](Groups *x) { x->b[1] = nullptr; }},
      {"ldb", "NULL", false, [](Groups *x) { x->batch.ldb = nullptr; }},
      {"ldb", "too small", true, [](Groups *x) { x->ldb[1] -= x->problem.test.padding.b + 1; }},
      {"ldb", "overflow", true, [](Groups *x) { x->ldb[1] = INT64_MAX; }},
      {"beta", "NULL", false, [](Groups *x) { x->batch.beta = nullptr; }},
      {"C", "NULL", false, [](Groups *x) { x->batch.c = nullptr; }},
      {"C", "NULL in it", true, [](Groups *x) { x->c[2] = nullptr; }},
      {"C", "overlaps A", true, [](Groups *x) { x->c[2] = static_cast<float *>(const_cast<void *>(x->a[2])); }},
      {"C", "overlaps B", true, [](Groups *x) { x->c[1] = static_cast<float *>(const_cast<void *>(x->b[1])); }},
      {"ldc", "NULL", false, [](Groups *x) { x->batch.ldc = nullptr; }},
      {"ldc", "too small", true, [](Groups *x) { x->ldc[1] -= x->problem.test.padding.c + 1; }},
      {"ldc", "overflow", true, [](Groups *x) { x->ldc[1] = INT64_MAX; }},
      {"group_count", "-1", false, [](Groups *x) { x->batch.group_count = -1; }},
      {"group_size", "NULL", false, [](Groups *x) { x->batch.group_size = nullptr; }},
      {"group_size", "-1", true, [](Groups *x) { x->size[1] = -1; }},
      {"group_size", "sum overflows", false, [](Groups *x) { x->size[0] = x->size[1] = INT64_MAX; }},
  };
  return faults;
}

}  // namespace

TEST_CASE("every argument of the group batches wrong in turn") {
  Handle handle;
  for (const Element element : {Element::kFloat, Element::kHalf, Element::kBfloat16}) {
    for (const libsgemm_layout_t layout : kLayouts) {
      for (const GroupFault &fault : group_faults()) {
        for (const bool with_handle : {false, true}) {
          Groups groups(element, layout);
          fault.seed(&groups);
          const libsgemm_status_t status =
              with_handle ? call_batch(element, handle, groups.batch) : call_batch(element, groups.batch);
          INFO(batch_entry_name(element) << " layout " << layout << " " << fault.parameter << " " << fault.label);
          CHECK(misreported(status, batch_entry_name(element) + (with_handle ? "_h" : ""), batch_parameters(),
                            fault.parameter) == "");
          if (fault.in_group) CHECK(std::string(last_info().message).find("group 1") != std::string::npos);
          CHECK(groups.check_untouched() == "");
        }
      }
      Groups groups(element, layout);
      REQUIRE(call_batch(element, groups.batch) == LIBSGEMM_SUCCESS);
      for (const auto &product : groups.products) CHECK(product->check() == "");
    }
  }
}

TEST_CASE("a group batch needs no A and B where it does not read them") {
  Groups groups(Element::kFloat, LIBSGEMM_COL_MAJOR);
  groups.alpha = {0, 0};
  groups.beta = {0, 0};
  groups.batch.a = groups.batch.b = nullptr;
  REQUIRE(call_batch(Element::kFloat, groups.batch) == LIBSGEMM_SUCCESS);
  for (int i = 0; i < 3; ++i) CHECK(groups.c[static_cast<size_t>(i)][0] == 0);
}

TEST_CASE("every argument of the strided batches wrong in turn") {
  Handle handle;
  std::set<std::string> kinds;
  for (const Routine routine : kStridedRoutines) {
    const Problem problem = make_problem(small_case(single_of(routine)));
    for (const libsgemm_layout_t layout : kLayouts) {
      const std::vector<const Problem *> products(3, &problem);
      const Args single = Placement(problem, layout).args();
      const Strides strides = {0, 0, extent_of(layout, single.ldc, problem.c.rows, problem.c.columns)};
      Placement right(products, layout, strides);
      for (const Fault &fault : faults_of(routine, right.args(), problem.test.padding)) {
        kinds.insert(entry_name(routine) + " " + fault.parameter + " " + fault.label);
        for (const bool with_handle : {false, true}) {
          Placement placement(products, layout, strides);
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
      CHECK(right.check() == "");
    }
  }
  CHECK(kinds.size() >= 200);
}

TEST_CASE("an output of a strided batch that meets any input is refused") {
  // Memory holds C0 . C1 . C2 . with gaps of four elements.
  std::vector<float> memory(64, 1.0f), other(64, 1.0f);
  Args args;
  args.m = args.n = args.k = 2;
  args.lda = args.ldb = args.ldc = 2;
  args.b = other.data();
  args.c = memory.data();
  args.stride_c = 8;
  args.batch_count = 3;
  struct Place {
    int64_t start, stride;
    bool legal;
  };
  const std::vector<Place> places = {{4, 0, true},   {4, 8, true},   {20, 0, true},  {24, 4, true}, {0, 0, false},
                                     {17, 0, false}, {3, 0, false},  {1, 0, false},  {4, 4, false}, {5, 8, false},
                                     {32, 8, true},  {12, 1, false}, {19, 40, false}};
  for (const Place &place : places) {
    for (const bool as_b : {false, true}) {
      for (const libsgemm_layout_t layout : kLayouts) {
        const std::vector<float> before = memory;
        Args x = args;
        x.layout = layout;
        (as_b ? x.b : x.a) = memory.data() + place.start;
        (as_b ? x.a : x.b) = other.data();
        (as_b ? x.stride_b : x.stride_a) = place.stride;
        const libsgemm_status_t status = call(Routine::kSgemmStrided, x);
        INFO("input at " << place.start << " stride " << place.stride << " as B " << as_b);
        if (place.legal) {
          CHECK(status == LIBSGEMM_SUCCESS);
        } else {
          CHECK(misreported(status, "libsgemm_sgemm_batch_strided", parameters(Routine::kSgemmStrided), "C") == "");
          CHECK(memory == before);
        }
      }
    }
  }
}

namespace {

struct StridedBatch {
  int64_t start, stride, count;
  int64_t rows = 2, columns = 2, ld = 2;
};

std::set<int64_t> elements(const StridedBatch &x, Region region, libsgemm_layout_t layout) {
  std::set<int64_t> all;
  for (int64_t item = 0; item < x.count; ++item) {
    for (int64_t i = 0; i < x.rows; ++i) {
      for (int64_t j = 0; j < x.columns; ++j) {
        if (contains(region, i, j)) all.insert(x.start + item * x.stride + index_of(layout, x.ld, i, j));
      }
    }
  }
  return all;
}

bool apart(const std::set<int64_t> &a, const std::set<int64_t> &c) {
  return std::none_of(a.begin(), a.end(), [&c](int64_t at) { return c.count(at) != 0; });
}

}  // namespace

TEST_CASE("triangles of a strided batch overlap where they share an element") {
  constexpr int64_t kFirst = 8, kCount = 3;
  int refused = 0, accepted = 0;
  for (const Routine routine : {Routine::kSsyrkStrided, Routine::kStrmmStrided, Routine::kStrsmStrided}) {
    for (const libsgemm_layout_t layout : kLayouts) {
      for (const libsgemm_uplo_t uplo : {LIBSGEMM_UPPER, LIBSGEMM_LOWER}) {
        for (int64_t start = 0; start < 40; ++start) {
          for (const int64_t stride : {0, 1, 4, 5, 8}) {
            const Region half = uplo == LIBSGEMM_UPPER ? Region::kUpper : Region::kLower;
            const bool triangle_of_c = routine == Routine::kSsyrkStrided;
            const auto a = elements({start, stride, kCount}, triangle_of_c ? Region::kAll : half, layout);
            const auto c = elements({kFirst, 8, kCount}, triangle_of_c ? half : Region::kAll, layout);
            const bool legal = apart(a, c);
            std::vector<float> memory(64, 1.0f);
            const std::vector<float> before = memory;
            Args args;
            args.layout = layout;
            args.uplo = uplo;
            args.m = args.n = args.k = args.lda = args.ldc = 2;
            args.a = memory.data() + start;
            args.stride_a = stride;
            args.c = memory.data() + kFirst;
            args.stride_c = 8;
            args.batch_count = kCount;
            const libsgemm_status_t status = call(routine, args);
            INFO(entry_name(routine) << " layout " << layout << " uplo " << uplo << " A at " << start << " stride "
                                     << stride);
            if (legal) {
              REQUIRE(status == LIBSGEMM_SUCCESS);
              ++accepted;
            } else {
              REQUIRE(misreported(status, entry_name(routine), parameters(routine), triangle_of_c ? "C" : "B") == "");
              REQUIRE(memory == before);
              ++refused;
            }
          }
        }
      }
    }
  }
  CHECK(refused > 100);
  CHECK(accepted > 100);
}

TEST_CASE("a strided batch whose matrices interleave with an input's is refused where they share an element") {
  Random random(7);
  int refused = 0, accepted = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const libsgemm_layout_t layout = kLayouts[repeat % 2];
    Args args;
    args.layout = layout;
    args.m = random.integer(1, 3), args.n = random.integer(1, 3), args.k = random.integer(1, 3);
    args.batch_count = random.integer(1, 5);
    args.lda = random.integer(3, 40), args.ldb = 3, args.ldc = random.integer(3, 40);
    const int64_t size = extent_of(layout, args.ldc, args.m, args.n);
    args.stride_a = random.integer(0, 40), args.stride_c = size + random.integer(0, 20);
    const int64_t at_a = random.integer(0, 200), at_c = random.integer(0, 200);
    std::vector<float> memory(1000, 1.0f), other(9, 1.0f);
    args.a = memory.data() + at_a, args.b = other.data(), args.c = memory.data() + at_c;
    const StridedBatch a = {at_a, args.stride_a, args.batch_count, args.m, args.k, args.lda};
    const StridedBatch c = {at_c, args.stride_c, args.batch_count, args.m, args.n, args.ldc};
    const bool legal = apart(elements(a, Region::kAll, layout), elements(c, Region::kAll, layout));
    const libsgemm_status_t status = call(Routine::kSgemmStrided, args);
    INFO("layout " << layout << " m " << args.m << " n " << args.n << " k " << args.k << " batch " << args.batch_count
                   << " A at " << at_a << " lda " << args.lda << " stride " << args.stride_a << " C at " << at_c
                   << " ldc " << args.ldc << " stride " << args.stride_c);
    REQUIRE((status == LIBSGEMM_SUCCESS) == legal);
    ++(legal ? accepted : refused);
  }
  CHECK(refused > 1000);
  CHECK(accepted > 1000);
}

TEST_CASE("many interleaved products are checked in no time") {
  // A memory row holds a row of A_0, B_0, A_1, B_1, ...; the first ends with all C.
  constexpr int64_t kSize = 8, kCount = 16384;
  Args args;
  args.layout = LIBSGEMM_ROW_MAJOR;
  args.m = args.n = args.k = args.ldc = kSize;
  args.batch_count = kCount;
  args.stride_a = args.stride_b = 2 * kSize;
  args.stride_c = kSize * kSize;
  args.lda = args.ldb = kCount * (args.stride_a + args.stride_c);
  std::vector<float> memory(static_cast<size_t>(kSize * args.lda), 1.0f);
  args.a = memory.data();
  args.b = memory.data() + kSize;
  args.c = memory.data() + kCount * args.stride_a;
  const auto start = std::chrono::steady_clock::now();
  CHECK(call(Routine::kSgemmStrided, args) == LIBSGEMM_SUCCESS);
  CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < 5);
  CHECK(args.c[0] == kSize);
}

TEST_CASE("strided batches of one, and strides that overflow") {
  std::vector<float> a(4, 1.0f), c(4, 1.0f);
  for (const Routine routine : {Routine::kSsyrkStrided, Routine::kStrmmStrided, Routine::kStrsmStrided}) {
    Args args;
    args.m = args.n = args.k = args.lda = args.ldc = 2;
    args.a = a.data();
    args.c = c.data();
    INFO(entry_name(routine));
    CHECK(call(routine, args) == LIBSGEMM_SUCCESS);  // any stride for a single matrix
    args.batch_count = INT64_MAX / 4;
    args.stride_c = 4;
    CHECK(misreported(call(routine, args), entry_name(routine), parameters(routine),
                      is_in_place(routine) ? "stride_b" : "stride_c") == "");
    CHECK(std::string(last_info().message).find("times batch_count it overflows the address space") !=
          std::string::npos);
    args.batch_count = 3;
    args.stride_c = 3;
    CHECK(misreported(call(routine, args), entry_name(routine), parameters(routine),
                      is_in_place(routine) ? "stride_b" : "stride_c") == "");
    const std::string size = is_in_place(routine) ? "the size of B, 4" : "the size of C, 4";
    CHECK(std::string(last_info().message).find(size) != std::string::npos);
  }
}

TEST_CASE("groups of which nothing is accessed may have products of any size") {
  for (const libsgemm_layout_t layout : kLayouts) {
    for (int fault = 0; fault < 3; ++fault) {
      INFO("layout " << layout << ", fault " << fault);
      Groups groups(Element::kFloat, layout);
      groups.m[0] = groups.n[0] = groups.k[0] = groups.lda[0] = groups.ldb[0] = groups.ldc[0] = INT64_MAX;
      (fault == 0 ? groups.size : fault == 1 ? groups.m : groups.n)[0] = 0;
      if (fault == 0) groups.size[1] = 3;
      CHECK(call_batch(Element::kFloat, groups.batch) == LIBSGEMM_SUCCESS);
      CHECK(std::string(last_info().message) == "");
      CHECK(groups.products.back()->check() == "");
      groups.ldb[0] = 1;
      groups.ldb[1] = 1;
      CHECK(call_batch(Element::kFloat, groups.batch) == LIBSGEMM_INVALID_ARGUMENT);
      CHECK(last_info().argument == 11);
    }
  }
}

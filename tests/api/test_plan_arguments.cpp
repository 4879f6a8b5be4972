#include <cstdint>

#include "plugins/planned.h"

using namespace mock_test;

TEST_CASE("a plan of something else is refused by name, and C stays") {
  reset();
  PlanHandle h;
  for (const int device : {-1, 0}) {
    for (const bool of_a : {true, false}) {
      INFO("device " << device << ", plan of " << (of_a ? "A" : "B"));
      Planned p(device, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, kK, kK, kK);  // square: any op fits
      REQUIRE(p.keep_a(h) == LIBSGEMM_SUCCESS);
      REQUIRE(p.keep_b(h) == LIBSGEMM_SUCCESS);
      libsgemm_plan_t plan = of_a ? p.plan_a : p.plan_b;
      const int64_t ld = p.a.ld;
      struct Use {
        libsgemm_layout_t layout;
        libsgemm_op_t trans;
        bool of_a;
        int64_t outer, k, ld;
        int shift;
        const char *message;
      };
      const Use right = {LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, of_a, kK, kK, ld, 0, ""};
      std::vector<Use> uses(7, right);
      uses[0].layout = LIBSGEMM_ROW_MAJOR, uses[0].message = "is of a column-major matrix";
      uses[1].trans = LIBSGEMM_CONJ_TRANS, uses[1].message = "is of a matrix that is not transposed";
      uses[2].of_a = !of_a, uses[2].message = of_a ? "is a plan of A and cannot be one of B" : "is a plan of B";
      uses[3].outer = kK - 1, uses[3].message = of_a ? "is of 6 x 6, and op(A) is 5 x 6" : "op(B) is 6 x 5";
      uses[4].k = kK - 1, uses[4].message = of_a ? "is of 6 x 6, and op(A) is 6 x 5" : "op(B) is 5 x 6";
      uses[5].ld = ld - 1, uses[5].message = "is of a leading dimension of 8, and that of";
      uses[6].shift = 1, uses[6].message = "is of the matrix at 0x";
      const auto call = [&](const Use &use) {
        float *x = (of_a ? p.a : p.b).data() + use.shift, *other = (of_a ? p.b : p.a).data();
        const libsgemm_op_t transa = use.of_a ? use.trans : LIBSGEMM_NO_TRANS,
                            transb = use.of_a ? LIBSGEMM_NO_TRANS : use.trans;
        return libsgemm_sgemm_planned_h(h, use.layout, transa, transb, use.of_a ? use.outer : kK,
                                        use.of_a ? kK : use.outer, use.k, 1, use.of_a ? x : other,
                                        use.of_a ? use.ld : ld, use.of_a ? plan : nullptr, use.of_a ? other : x,
                                        use.of_a ? ld : use.ld, use.of_a ? nullptr : plan, 0, p.c.data(), p.c.ld);
      };
      for (const Use &use : uses) {
        INFO(use.message);
        CHECK(call(use) == LIBSGEMM_INVALID_ARGUMENT);
        CHECK(last_info().argument == (use.of_a ? 10 : 13));
        CHECK(says(use.of_a ? "argument 10 (plan_a)" : "argument 13 (plan_b)"));
        CHECK(says(use.message));
        CHECK(p.untouched());
      }
      REQUIRE(libsgemm_set_math_mode(h, LIBSGEMM_MATH_BF16X6) == LIBSGEMM_SUCCESS);
      CHECK(call(right) == LIBSGEMM_INVALID_ARGUMENT);
      CHECK(last_info().argument == (of_a ? 10 : 13));
      CHECK(says("was made in mode fp16x3, and that of the handle is bf16x6"));
      REQUIRE(libsgemm_set_math_mode(h, LIBSGEMM_MATH_FP16X3) == LIBSGEMM_SUCCESS);
      CHECK(p.untouched());
      CHECK(call(right) == LIBSGEMM_SUCCESS);
      REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    }
  }
}

TEST_CASE("a destroyed plan is refused") {
  reset();
  PlanHandle h;
  Planned p(0);
  REQUIRE(p.keep_b(h) == LIBSGEMM_SUCCESS);
  libsgemm_plan_t plan = p.plan_b;
  CHECK(libsgemm_plan_destroy(plan) == LIBSGEMM_SUCCESS);
  CHECK(p.run(h) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 13);
  CHECK(says("is no plan, or a destroyed one"));
  CHECK(p.untouched());
  p.plan_b = nullptr;
  CHECK(libsgemm_plan_destroy(plan) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 1);
  CHECK(libsgemm_plan_destroy(nullptr) == LIBSGEMM_SUCCESS);
}

TEST_CASE("a plan in memory of another device than the product's is refused") {
  reset();
  PlanHandle h;
  const size_t bytes = kK * kK * sizeof(float);
  void *x = gpu().allocate(0, bytes);
  libsgemm_plan_t plan = nullptr;
  REQUIRE(libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_NO_TRANS, kK, kK, static_cast<float *>(x),
                               kK, &plan) == LIBSGEMM_SUCCESS);
  // Allocates until the other device returns the same address.
  gpu().release(0, x);
  std::vector<void *> others;
  while (others.empty() || (others.back() != x && others.size() < 1000)) others.push_back(gpu().allocate(1, bytes));
  REQUIRE(others.back() == x);
  auto *c = static_cast<float *>(gpu().allocate(1, bytes));
  CHECK(libsgemm_sgemm_planned_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, kK, kK, kK, 1,
                                 static_cast<float *>(x), kK, plan, static_cast<float *>(x), kK, nullptr, 0, c,
                                 kK) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 10);
  CHECK(says("was made on device 0, and the product is on another one"));
  CHECK(libsgemm_plan_destroy(plan) == LIBSGEMM_SUCCESS);
  others.push_back(c);
  for (void *each : others) gpu().release(1, each);
}

TEST_CASE("arguments of libsgemm_plan_create") {
  reset();
  PlanHandle h;
  std::vector<float> x(64);
  struct Arguments {
    int layout, side, trans, position;
    int64_t rows, cols;
    const float *x;
    int64_t ldx;
    const char *name;
  };
  const int col = LIBSGEMM_COL_MAJOR, left = LIBSGEMM_LEFT, plain = LIBSGEMM_NO_TRANS;
  const Arguments wrong[] = {{0, left, plain, 2, 3, 4, x.data(), 3, "layout"},
                             {col, 0, plain, 3, 3, 4, x.data(), 3, "side"},
                             {col, left, 0, 4, 3, 4, x.data(), 3, "trans"},
                             {col, left, plain, 5, -1, 4, x.data(), 3, "rows"},
                             {col, left, plain, 6, 3, -1, x.data(), 3, "cols"},
                             {col, left, plain, 7, 3, 4, nullptr, 3, "X"},
                             {col, left, plain, 8, 3, 4, x.data(), 2, "ldx"},
                             {col, left, LIBSGEMM_TRANS, 8, 3, 4, x.data(), 3, "ldx"},
                             {LIBSGEMM_ROW_MAJOR, left, plain, 8, 3, 4, x.data(), 3, "ldx"},
                             {col, left, plain, 8, 1, INT64_MAX / 8, x.data(), 8, "ldx"},
                             {7, 7, 7, 2, -1, -1, nullptr, 0, "layout"}};
  for (const Arguments &w : wrong) {
    INFO(w.name << " " << w.ldx);
    libsgemm_plan_t plan = reinterpret_cast<libsgemm_plan_t>(x.data());
    CHECK(libsgemm_plan_create(h, static_cast<libsgemm_layout_t>(w.layout), static_cast<libsgemm_side_t>(w.side),
                               static_cast<libsgemm_op_t>(w.trans), w.rows, w.cols, w.x, w.ldx,
                               &plan) == LIBSGEMM_INVALID_ARGUMENT);
    CHECK(plan == nullptr);
    CHECK(last_info().argument == w.position);
    CHECK(says(std::string("(") + w.name + ")"));
  }
  CHECK(libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_NO_TRANS, 3, 4, x.data(), 3, nullptr) ==
        LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 9);
  libsgemm_plan_t plan = nullptr;
  // An empty matrix may have any other size.
  CHECK(libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_NO_TRANS, 0, INT64_MAX, nullptr, INT64_MAX,
                             &plan) == LIBSGEMM_SUCCESS);
  CHECK(libsgemm_sgemm_planned_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 0, INT64_MAX, INT64_MAX,
                                 1, nullptr, INT64_MAX, plan, nullptr, INT64_MAX, nullptr, 0, nullptr,
                                 INT64_MAX) == LIBSGEMM_SUCCESS);
  CHECK(libsgemm_plan_destroy(plan) == LIBSGEMM_SUCCESS);
  plan = nullptr;
  CHECK(libsgemm_plan_create(nullptr, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_NO_TRANS, 3, 4, x.data(), 3, &plan) ==
        LIBSGEMM_INVALID_HANDLE);
  CHECK(libsgemm_sgemm_planned_h(nullptr, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 2, 2, 2, 1,
                                 x.data(), 2, nullptr, x.data(), 2, nullptr, 0, x.data(),
                                 2) == LIBSGEMM_INVALID_HANDLE);
}

TEST_CASE("the arguments of a product with plans are those of libsgemm_sgemm, two positions apart from B on") {
  reset();
  Handle h;
  std::vector<float> x(64);
  const auto call = [&](int64_t lda, const float *b, int64_t ldb, float *c, int64_t ldc) {
    return libsgemm_sgemm_planned_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 3, 3, 3, 1, x.data(),
                                    lda, nullptr, b, ldb, nullptr, 0, c, ldc);
  };
  const float *b = x.data() + 16;
  float *c = x.data() + 32;
  CHECK(call(2, b, 3, c, 3) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(says("argument 9 (lda)"));
  CHECK(call(3, nullptr, 3, c, 3) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(says("argument 11 (B)"));
  CHECK(call(3, b, 2, c, 3) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(says("argument 12 (ldb)"));
  CHECK(call(3, b, 3, nullptr, 3) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(says("argument 15 (C)"));
  CHECK(call(3, b, 3, x.data(), 3) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(says("argument 15 (C) overlaps A"));
  CHECK(call(3, b, 3, c, 2) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(says("argument 16 (ldc)"));
}

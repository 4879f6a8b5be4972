// Plans on the mock GPU (plugins/mock_plan.h) and the CPU.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "plugins/planned.h"

using namespace mock_test;

TEST_CASE("products compute from what plans keep, in every layout and transposition") {
  reset();
  const int64_t bytes = gpu().bytes;
  PlanHandle h;
  for (const libsgemm_layout_t layout : kLayouts) {
    for (const libsgemm_op_t transa : kOps) {
      for (const libsgemm_op_t transb : kOps) {
        for (const int which : {0, 1, 2, 3}) {
          INFO(layout << " " << transa << " " << transb << ", plans " << which);
          Planned p(1, layout, transa, transb);
          if ((which & 1) != 0) REQUIRE(p.keep_a(h) == LIBSGEMM_SUCCESS);
          if ((which & 2) != 0) REQUIRE(p.keep_b(h) == LIBSGEMM_SUCCESS);
          p.a.set(2);  // illegal; shows which copy the product reads
          p.b.set(4);
          REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
          CHECK(last_info().plans == (which + 1) / 2);
          CHECK(std::string(last_info().entry) == "libsgemm_sgemm_planned_h");
          CHECK(std::string(last_info().math_mode) == "fp16x3");
          CHECK(last_info().device == 1);
          REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
          CHECK(p.right((which & 1) != 0 ? 1 : 2, (which & 2) != 0 ? 1 : 4));
        }
      }
    }
  }
  CHECK(gpu().bytes == bytes);
}

TEST_CASE("a plan is ready when it is made, and serves other handles, streams and threads") {
  reset();
  PlanHandle h;
  void *stream = gpu().stream(0);
  REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
  Planned p(0);
  REQUIRE(p.keep_a(h) == LIBSGEMM_SUCCESS);
  const libsgemm_info_t info = last_info();
  CHECK(std::string(info.entry) == "libsgemm_plan_create");
  CHECK(std::string(info.backend) == "cuda");
  CHECK(std::string(info.kernel) == "split");
  CHECK(gpu().pending(stream, 0) == 0);
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  for (size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      libsgemm_handle_t own = nullptr;
      if (libsgemm_create(&own) != LIBSGEMM_SUCCESS) return;
      libsgemm_set_math_mode(own, LIBSGEMM_MATH_FP16X3);
      for (int i = 0; i < 20; ++i) {
        Operand c(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, kM, kN, 0);
        Planned mine(0);
        libsgemm_plan_t plan_b = nullptr;
        bool ok = libsgemm_plan_create(own, LIBSGEMM_COL_MAJOR, LIBSGEMM_RIGHT, LIBSGEMM_NO_TRANS, kK, kN,
                                       mine.b.data(), mine.b.ld, &plan_b) == LIBSGEMM_SUCCESS;
        ok = ok && libsgemm_sgemm_planned_h(own, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, kM, kN, kK,
                                            2, p.a.data(), p.a.ld, p.plan_a, mine.b.data(), mine.b.ld, plan_b, 0,
                                            mine.c.data(), mine.c.ld) == LIBSGEMM_SUCCESS;
        ok = ok && last_info().plans == 2 && libsgemm_synchronize(own) == LIBSGEMM_SUCCESS && mine.right(1, 1);
        ok = libsgemm_plan_destroy(plan_b) == LIBSGEMM_SUCCESS && ok;
        right[t] += ok ? 1 : 0;
      }
      libsgemm_destroy(own);
    });
  }
  for (std::thread &thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 20));
}

TEST_CASE("where nothing can be kept a plan is empty and the call a plain one") {
  reset();
  struct Setting {
    const char *backend;
    libsgemm_math_mode_t mode;
    int device;
    int64_t size;  // kSize is offloaded
    const char *ran;
  };
  const Setting settings[] = {
      {"auto", LIBSGEMM_MATH_FP32, 1, kK, "cuda"},      {"auto", LIBSGEMM_MATH_TF32, 1, kK, "cuda"},
      {"auto", LIBSGEMM_MATH_BF16X6, 1, kK, "cuda"},    {"auto", LIBSGEMM_MATH_FP16X3, -1, kK, "openblas"},
      {"ref", LIBSGEMM_MATH_FP16X3, -1, kK, "ref"},     {"openblas", LIBSGEMM_MATH_BF16, -1, kK, "openblas"},
      {"auto", LIBSGEMM_MATH_FP16X3, -1, kSize, "cuda"}};
  for (const Setting &s : settings) {
    INFO(s.backend << " mode " << s.mode << " device " << s.device << " size " << s.size);
    Handle h;
    REQUIRE(libsgemm_set_backend(h, s.backend) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_math_mode(h, s.mode) == LIBSGEMM_SUCCESS);
    Planned p(s.device, LIBSGEMM_ROW_MAJOR, LIBSGEMM_TRANS, LIBSGEMM_NO_TRANS, s.size, s.size, s.size);
    const int64_t bytes = gpu().bytes;
    REQUIRE(p.keep_a(h) == LIBSGEMM_SUCCESS);
    CHECK(std::string(last_info().kernel) == "nothing");
    CHECK(std::string(last_info().backend) == "none");
    REQUIRE(p.keep_b(h) == LIBSGEMM_SUCCESS);
    REQUIRE(p.plan_a != nullptr);
    CHECK(gpu().bytes == bytes);
    p.a.set(3);
    REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
    CHECK(last_info().plans == 0);
    CHECK(backend() == s.ran);
    REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    CHECK(p.right(3, 1));
  }
}

TEST_CASE("a plan of an empty matrix, and products that read no operand") {
  reset();
  PlanHandle h;
  libsgemm_plan_t empty = nullptr;
  REQUIRE(libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_NO_TRANS, 0, kK, nullptr, 1, &empty) ==
          LIBSGEMM_SUCCESS);
  Planned p(0);
  CHECK(libsgemm_sgemm_planned_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 0, kN, kK, 1, nullptr, 1,
                                 empty, p.b.data(), p.b.ld, nullptr, 1, p.c.data(), p.c.ld) == LIBSGEMM_SUCCESS);
  CHECK(libsgemm_plan_destroy(empty) == LIBSGEMM_SUCCESS);
  REQUIRE(p.keep_a(h) == LIBSGEMM_SUCCESS);
  CHECK(libsgemm_sgemm_planned_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, kM, kN, kK, 0, p.a.data(),
                                 p.a.ld, p.plan_a, nullptr, kK, nullptr, 0, p.c.data(), p.c.ld) == LIBSGEMM_SUCCESS);
  CHECK(std::string(last_info().kernel) == "scale");
  CHECK(last_info().plans == 0);
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
  CHECK(p.c.at(kM - 1, kN - 1) == 0);
}

TEST_CASE("a kernel of another mode, by force, leaves plans alone") {
  reset();
  PlanHandle h;
  Planned p(0);
  REQUIRE(p.keep_a(h) == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_set_kernel(h, "cuda_mock_plain") == LIBSGEMM_SUCCESS);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(last_info().plans == 0);
  CHECK(std::string(last_info().math_mode) == "fp32");
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
}

TEST_CASE("a plan that cannot be made leaves nothing behind") {
  PlanHandle h;
  for (const int site : {mock::kAllocate, mock::kLaunch, mock::kSynchronize}) {
    reset();
    Planned p(0);
    const int64_t bytes = gpu().bytes;
    gpu().fail_at[site] = 1;
    const libsgemm_status_t wanted = site == mock::kAllocate ? LIBSGEMM_OUT_OF_MEMORY : LIBSGEMM_EXECUTION_FAILED;
    CHECK(p.keep_a(h) == wanted);
    CHECK(p.plan_a == nullptr);
    CHECK(says(site == mock::kAllocate ? "out of mock memory" : site == mock::kLaunch ? "launch failed" : "was lost"));
    CHECK(gpu().bytes == bytes);
    REQUIRE(p.keep_a(h) == LIBSGEMM_SUCCESS);
    CHECK(gpu().bytes > bytes);
  }
}

TEST_CASE("plans and graphs: they are made before and used in them") {
  reset();
  PlanHandle h;
  void *stream = gpu().stream(0);
  REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
  Planned p(0);
  REQUIRE(p.keep_a(h) == LIBSGEMM_SUCCESS);
  const int allocations = gpu().calls[mock::kAllocate], synchronisations = gpu().calls[mock::kSynchronize];
  gpu().set_capturing(stream, true);
  CHECK(p.keep_b(h) == LIBSGEMM_NOT_SUPPORTED);
  CHECK(says("capturing a graph: make the plan before"));
  CHECK(p.plan_b == nullptr);
  p.a.set(2);
  CHECK(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(last_info().plans == 1);
  CHECK(gpu().calls[mock::kAllocate] == allocations);
  CHECK(gpu().calls[mock::kSynchronize] == synchronisations);
  gpu().set_capturing(stream, false);
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
  CHECK(p.right(1, 1));
}

TEST_CASE("in a forked process plans of the parent's devices can be destroyed, and no others made") {
  reset();
  PlanHandle h;
  Planned p(0);
  REQUIRE(p.keep_a(h) == LIBSGEMM_SUCCESS);
  const int64_t bytes = gpu().bytes;
  const pid_t child = fork();
  if (child == 0) {
    bool ok = p.keep_b(h) == LIBSGEMM_UNAVAILABLE && p.plan_b == nullptr && says("forked");
    ok = ok && libsgemm_plan_destroy(p.plan_a) == LIBSGEMM_SUCCESS && gpu().bytes == bytes;
    _exit(ok ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(last_info().plans == 1);
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
}

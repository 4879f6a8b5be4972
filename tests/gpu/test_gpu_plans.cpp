// Products with plans on a GPU have the bits of plain calls. Where plans store nothing they must be plain calls.
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "gpu_placement.h"
#include "support/catch.h"
#include "support/numbers.h"
#include "support/subject.h"

using namespace sgemm_test;
using gpu::DevicePlacement;
using gpu::driver;
using gpu::Memory;

std::string sgemm_test::skip_reason() { return gpu::missing(); }

namespace {

constexpr libsgemm_math_mode_t kSplitModes[] = {LIBSGEMM_MATH_BF16X6, LIBSGEMM_MATH_FP16X3};

class PlanHandle : public Handle {
 public:
  explicit PlanHandle(libsgemm_math_mode_t mode) {
    REQUIRE(libsgemm_set_backend(*this, subject().backend.c_str()) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_math_mode(*this, mode) == LIBSGEMM_SUCCESS);
  }
};

class Planned {
 public:
  explicit Planned(const Problem &p, libsgemm_layout_t layout = LIBSGEMM_COL_MAJOR, Memory::Kind kind = Memory::device)
      : problem(p), host(problem, layout), device(&host, problem, kind) {}
  ~Planned() { forget(); }
  Planned(const Planned &) = delete;
  Planned &operator=(const Planned &) = delete;

  libsgemm_status_t keep_a(libsgemm_handle_t h) {
    const Args &x = device.args();
    return libsgemm_plan_create(h, x.layout, LIBSGEMM_LEFT, x.transa, x.m, x.k, static_cast<const float *>(x.a), x.lda,
                                &plan_a);
  }
  libsgemm_status_t keep_b(libsgemm_handle_t h) {
    const Args &x = device.args();
    return libsgemm_plan_create(h, x.layout, LIBSGEMM_RIGHT, x.transb, x.k, x.n, static_cast<const float *>(x.b), x.ldb,
                                &plan_b);
  }
  void keep(libsgemm_handle_t h, int which) {
    forget();
    if ((which & 1) != 0) REQUIRE(keep_a(h) == LIBSGEMM_SUCCESS);
    if ((which & 2) != 0) REQUIRE(keep_b(h) == LIBSGEMM_SUCCESS);
  }
  void forget() {
    libsgemm_plan_destroy(plan_a);
    libsgemm_plan_destroy(plan_b);
    plan_a = plan_b = nullptr;
  }
  libsgemm_status_t run(libsgemm_handle_t h) {
    const Args &x = device.args();
    return libsgemm_sgemm_planned_h(h, x.layout, x.transa, x.transb, x.m, x.n, x.k, x.alpha,
                                    static_cast<const float *>(x.a), x.lda, plan_a, static_cast<const float *>(x.b),
                                    x.ldb, plan_b, x.beta, x.c, x.ldc);
  }
  std::vector<float> bits(libsgemm_handle_t h) {
    device.restore();
    REQUIRE(run(h) == LIBSGEMM_SUCCESS);
    const libsgemm_info_t info = last_info();
    REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    const std::string fault = device.check(arithmetic_of(info));
    INFO(fault);
    CHECK(fault.empty());
    device.download();
    used = info.plans;
    mode = info.math_mode;
    return result();
  }
  std::vector<float> result() {
    std::vector<float> values;
    values.reserve(static_cast<size_t>(problem.test.m * problem.test.n));
    for (int64_t i = 0; i < problem.test.m; ++i) {
      for (int64_t j = 0; j < problem.test.n; ++j) values.push_back(host.c()[host.index_in_c(i, j)]);
    }
    return values;
  }

  Problem problem;
  Placement host;
  DevicePlacement device;
  libsgemm_plan_t plan_a = nullptr, plan_b = nullptr;
  int used = 0;  // plans used by the last bits()
  std::string mode;
};

bool same(const std::vector<float> &x, const std::vector<float> &y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

Problem random_problem(int64_t m, int64_t n, int64_t k, libsgemm_op_t transa, libsgemm_op_t transb, int offset) {
  Case test = case_of(Routine::kSgemm, m, n, k);
  test.inputs = Inputs::kRandom;
  test.transa = transa, test.transb = transb;
  test.alpha = 0.7f, test.beta = -1.3f;
  test.offset = offset;
  return make_problem(test);
}

int count_of(int which, libsgemm_math_mode_t mode) { return has(mode) ? (which + 1) / 2 : 0; }

// Without plans FP32 runs if faster; then the first product with plans is the reference.
void compare(Planned *p, libsgemm_handle_t h, libsgemm_math_mode_t mode) {
  p->forget();
  std::vector<float> without = p->bits(h);
  const bool ran = p->mode == name_of(mode);
  CHECK((!ran || has(mode)));
  if (!ran && has(mode)) {
    p->keep(h, 3);
    without = p->bits(h);
  }
  for (const int which : {1, 2, 3}) {
    INFO(name_of(mode) << " " << describe(p->problem.test) << ", plans " << which);
    p->keep(h, which);
    CHECK(same(p->bits(h), without));
    CHECK(p->used == count_of(which, mode));
  }
}

}  // namespace

TEST_CASE("products with plans have the bits of those without") {
  for (const libsgemm_math_mode_t mode : kSplitModes) {
    const PlanHandle h(mode);
    for (const libsgemm_layout_t layout : kLayouts) {
      for (const libsgemm_op_t transa : {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS}) {
        for (const libsgemm_op_t transb : {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS}) {
          for (const int offset : {0, 1}) {
            Planned p(random_problem(300, 270, 333, transa, transb, offset), layout);
            compare(&p, h, mode);
          }
        }
      }
    }
    for (const int64_t size : {1, 128, 129}) {
      Planned p(random_problem(size, size + 1, 2 * size, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 0));
      compare(&p, h, mode);
    }
    // Large enough for the mode to beat FP32.
    Planned large(random_problem(3100, 3030, 300, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 0));
    large.bits(h);
    CHECK((large.mode == name_of(mode)) == chooses(mode));
    compare(&large, h, mode);
  }
}

TEST_CASE("special values spread in products with plans as without") {
  for (const libsgemm_math_mode_t mode : kSplitModes) {
    const PlanHandle h(mode);
    for (const bool huge : {false, true}) {
      Case test = case_of(Routine::kSgemm, 300, 270, 200);
      test.transb = LIBSGEMM_TRANS;
      if (huge) test.inputs = Inputs::kRandom;  // huge terms make sums inexact
      Problem problem = make_problem(test);
      if (huge) {  // a tile whose sums may leave FP32's range
        problem.a.at(5, 7) = 0x1p100f;
        problem.b.at(9, 7) = 0x1p20f;
      } else {
        problem.a.at(140, 60) = std::numeric_limits<float>::infinity();
        problem.b.at(3, 199) = std::numeric_limits<float>::quiet_NaN();
      }
      solve(&problem);
      Planned p(problem);
      compare(&p, h, mode);
    }
  }
}

// Integers make sums exact wherever k is split.
TEST_CASE("products with plans in a workspace that does not hold the operands") {
  for (const libsgemm_math_mode_t mode : kSplitModes) {
    const PlanHandle h(mode);
    REQUIRE(libsgemm_set_workspace(h, nullptr, size_t{3} << 19) == LIBSGEMM_SUCCESS);
    Case test = case_of(Routine::kSgemm, 300, 290, 3001);
    test.beta = 1;
    Planned p(make_problem(test));
    compare(&p, h, mode);
  }
}

TEST_CASE("a product of two plans needs no workspace") {
  for (const libsgemm_math_mode_t mode : kSplitModes) {
    const PlanHandle h(mode);
    REQUIRE(libsgemm_set_workspace(h, nullptr, 4096) == LIBSGEMM_SUCCESS);
    Planned p(random_problem(300, 290, 700, LIBSGEMM_TRANS, LIBSGEMM_NO_TRANS, 0));
    p.bits(h);
    CHECK((p.mode == "fp32" || p.mode == "fp64"));
    p.keep(h, 3);
    p.bits(h);
    CHECK(p.used == count_of(3, mode));
    CHECK((p.mode == name_of(mode)) == has(mode));
  }
}

TEST_CASE("plans in managed memory") {
  for (const libsgemm_math_mode_t mode : kSplitModes) {
    const PlanHandle h(mode);
    Planned p(random_problem(200, 210, 220, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 0), LIBSGEMM_ROW_MAJOR,
              Memory::managed);
    compare(&p, h, mode);
  }
}

TEST_CASE("a graph holds products with plans, and makes none") {
  constexpr int kGlobal = 0;
  for (const libsgemm_math_mode_t mode : kSplitModes) {
    for (const int which : {1, 3}) {
      gpu::Stream stream;
      const PlanHandle h(mode);
      REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
      Planned p(random_problem(300, 290, 500, LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS, 0));
      p.keep(h, which);
      const std::vector<float> wanted = p.bits(h);  // allocates the workspace
      p.device.restore();
      libsgemm_plan_t plan = nullptr;
      gpu::require(driver().begin_capture(stream, kGlobal), "begin_capture");
      const Args &x = p.device.args();
      const libsgemm_status_t made = libsgemm_plan_create(h, x.layout, LIBSGEMM_LEFT, x.transa, x.m, x.k,
                                                          static_cast<const float *>(x.a), x.lda, &plan);
      const libsgemm_status_t status = p.run(h);
      const int used = last_info().plans;
      gpu::Handle graph = nullptr, executable = nullptr;
      gpu::require(driver().end_capture(stream, &graph), "end_capture");
      CHECK(made == (has(mode) ? LIBSGEMM_NOT_SUPPORTED : LIBSGEMM_SUCCESS));
      CHECK(libsgemm_plan_destroy(plan) == LIBSGEMM_SUCCESS);
      REQUIRE(status == LIBSGEMM_SUCCESS);
      CHECK(used == count_of(which, mode));
      gpu::require(driver().instantiate(&executable, graph, 0), "instantiate");
      for (int i = 0; i < 3; ++i) {
        p.device.restore();
        gpu::require(driver().launch_graph(executable, stream), "launch_graph");
        gpu::require(driver().synchronize(stream), "synchronize");
        p.device.download();
        CHECK(same(p.result(), wanted));
      }
      gpu::require(driver().destroy_executable(executable), "destroy_executable");
      gpu::require(driver().destroy_graph(graph), "destroy_graph");
    }
  }
}

TEST_CASE("one plan serves several threads, each on a stream of its own") {
  const libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP16X3;
  const PlanHandle h(mode);
  const Problem problem = random_problem(500, 300, 700, LIBSGEMM_TRANS, LIBSGEMM_NO_TRANS, 0);
  Planned p(problem);
  p.keep(h, 1);
  const std::vector<float> wanted = p.bits(h);
  const Args &a = p.device.args();
  constexpr int kThreads = 4, kCalls = 20;
  std::vector<int> right(kThreads, 0);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      gpu::use_device(0);
      gpu::Stream stream;
      Placement host(problem, LIBSGEMM_COL_MAJOR);
      DevicePlacement own(&host, problem);
      libsgemm_handle_t handle = nullptr;
      bool ok = libsgemm_create(&handle) == LIBSGEMM_SUCCESS &&
                libsgemm_set_backend(handle, subject().backend.c_str()) == LIBSGEMM_SUCCESS &&
                libsgemm_set_math_mode(handle, mode) == LIBSGEMM_SUCCESS &&
                libsgemm_set_stream(handle, stream) == LIBSGEMM_SUCCESS;
      const Args &x = own.args();
      for (int i = 0; i < kCalls && ok; ++i) {
        own.restore();
        gpu::require(driver().synchronize(nullptr), "synchronize");
        ok = libsgemm_sgemm_planned_h(handle, x.layout, x.transa, x.transb, x.m, x.n, x.k, x.alpha,
                                      static_cast<const float *>(a.a), a.lda, p.plan_a, static_cast<const float *>(x.b),
                                      x.ldb, nullptr, x.beta, x.c, x.ldc) == LIBSGEMM_SUCCESS &&
             last_info().plans == count_of(1, mode) && libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS;
        own.download();
        for (int64_t j = 0; j < 500 * 300 && ok; ++j) {
          ok = host.c()[host.index_in_c(j / 300, j % 300)] == wanted[static_cast<size_t>(j)];
        }
        right[static_cast<size_t>(t)] += ok ? 1 : 0;
      }
      libsgemm_destroy(handle);
    });
  }
  for (std::thread &thread : threads) thread.join();
  CHECK(right == std::vector<int>(kThreads, kCalls));
}

TEST_CASE("memory of plans: given back, and its lack is an error that passes") {
  const PlanHandle h(LIBSGEMM_MATH_FP16X3);
  constexpr int64_t kSize = 16384;  // 1 GiB, and its splits take as much
  const Memory x(static_cast<size_t>(kSize) * kSize * sizeof(float));
  gpu::require(driver().fill(x.address(), 0, static_cast<size_t>(kSize) * kSize), "fill");
  const auto make = [&](libsgemm_plan_t *plan) {
    return libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_NO_TRANS, kSize, kSize, x.as<float>(),
                                kSize, plan);
  };
  size_t free_bytes = 0, total = 0;
  gpu::require(driver().memory_info(&free_bytes, &total), "memory_info");
  for (size_t bytes = 0; bytes < total + total / 4; bytes += size_t{1} << 30) {
    libsgemm_plan_t plan = nullptr;
    REQUIRE(make(&plan) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_plan_destroy(plan) == LIBSGEMM_SUCCESS);
  }
  if (!has(LIBSGEMM_MATH_FP16X3)) return;
  std::vector<libsgemm_plan_t> plans;
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  while (status == LIBSGEMM_SUCCESS && plans.size() < 1000) {
    plans.push_back(nullptr);
    status = make(&plans.back());
  }
  CHECK(status == LIBSGEMM_OUT_OF_MEMORY);
  CHECK_THAT(last_info().message, Contains("has no memory for"));
  CHECK(plans.back() == nullptr);
  for (libsgemm_plan_t plan : plans) CHECK(libsgemm_plan_destroy(plan) == LIBSGEMM_SUCCESS);
  libsgemm_plan_t plan = nullptr;
  CHECK(make(&plan) == LIBSGEMM_SUCCESS);
  CHECK(libsgemm_plan_destroy(plan) == LIBSGEMM_SUCCESS);
}

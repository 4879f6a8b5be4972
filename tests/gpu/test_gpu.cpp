// Calls on device pointers: each case without a handle, with one, and with each kernel forced (support/ways.h).
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "gpu_placement.h"
#include "support/catch.h"
#include "support/numbers.h"
#include "support/subject.h"
#include "support/ways.h"

using namespace sgemm_test;
using gpu::DevicePlacement;

std::string sgemm_test::skip_reason() { return gpu::missing(); }

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Scaling needs no kernel of the table.
std::string judge_scaling(libsgemm_status_t status, DevicePlacement *device) {
  const libsgemm_info_t info = last_info();
  if (status != LIBSGEMM_SUCCESS) return std::string(libsgemm_status_string(status)) + ": " + info.message;
  const std::string kernel = info.kernel;
  if (kernel != "scale" && kernel != "nothing") return "ran the kernel " + kernel;
  if (kernel == "scale" && info.backend != subject().backend) return std::string("scaled by ") + info.backend;
  return device->check();
}

class Runner {
 public:
  Runner() = default;
  explicit Runner(libsgemm_math_mode_t mode) : ways_(mode) {}

  void run(Routine routine, const std::vector<const Problem *> &problems, libsgemm_layout_t layout,
           const Strides &strides = {}) {
    const Case &test = problems.front()->test;
    Placement host(problems, layout, strides);
    DevicePlacement device(&host, problems, strides);
    bool dirty = false;
    for (Way &way : ways_.all()) {
      if (dirty) device.restore();
      dirty = true;
      const libsgemm_status_t status =
          way.handle == nullptr ? call(routine, device.args()) : call(routine, *way.handle, device.args());
      std::string fault;
      if (needs_no_backend(test)) {
        fault = judge_scaling(status, &device);
      } else {
        // To save time, one declined call in 16 is checked for writes.
        const bool look = status != LIBSGEMM_NOT_SUPPORTED || way.declined % 16 == 0;
        fault = ways_.judge(
            &way, entry_name(routine), false, status, [&](const Arithmetic &how) { return device.check(how); },
            [&] { return look ? device.check_untouched() : std::string(); });
        dirty = look;
      }
      if (!fault.empty()) {
        failures_.add(describe(test) + (layout == LIBSGEMM_ROW_MAJOR ? " row-major " : " column-major ") +
                      way.description() + ": " + fault);
      }
    }
  }

  void run(const Problem &problem) {
    for (const libsgemm_layout_t layout : kLayouts) run(problem.test.routine, {&problem}, layout);
  }

  void finish(int calls) {
    failures_.report();
    int ran = 0, forced = 0;
    for (const Way &way : ways_.all()) {
      INFO(way.description() << ": " << way.ran << " ran, " << way.declined << " declined");
      if (way.kernel.empty()) {
        CHECK(way.declined == 0);
        CHECK(way.ran >= calls);
      } else {
        ++forced;
        ran += way.ran > 0 ? 1 : 0;
      }
    }
    CHECK((ran > 0 || forced == 0));
  }

  void finish_kernels() {
    failures_.report();
    for (const Way &way : ways_.all()) {
      INFO(way.description() << ": " << way.declined << " declined");
      CHECK(way.ran > 0);
    }
  }

  int ran_in_mode() { return ways_.all().front().ran_in_mode; }

 private:
  Ways ways_;
  Failures failures_;
};

}  // namespace

// LIBSGEMM_TEST_ROUTINE selects one routine: the whole table takes minutes.
TEST_CASE("every case of every routine on device pointers in every way of calling it", "[.table]") {
  const char *only = std::getenv("LIBSGEMM_TEST_ROUTINE");
  int routines = 0;
  for (const Routine routine : kSingleRoutines) {
    if (only != nullptr && entry_name(routine) != std::string("libsgemm_") + only) continue;
    ++routines;
    INFO(entry_name(routine));
    Runner runner;
    for (const Case &test : cases_of(routine)) runner.run(make_problem(test));
    runner.finish(500);
  }
  CHECK(routines > 0);
}

TEST_CASE("products in each math mode on device pointers, as the backend chooses") {
  for (const libsgemm_math_mode_t mode : kOtherModes) {
    DYNAMIC_SECTION(name_of(mode)) {
      Runner runner(mode);
      const std::vector<Case> cases = cases_of(Routine::kSgemm);
      for (size_t i = 0; i < cases.size(); i += 11) runner.run(make_problem(cases[i]));
      // Large enough for every kernel, and for modes with FP32's error to be faster than FP32.
      for (const int offset : {0, 1}) {
        Case test =
            rounds(mode) ? case_of(Routine::kSgemm, 1100, 1030, 700) : case_of(Routine::kSgemm, 3100, 3030, 300);
        test.inputs = Inputs::kRandom;
        test.offset = offset;
        test.padding = offset == 0 ? Padding{4, 4, 4} : Padding{1, 2, 3};
        test.transa = offset == 0 ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
        const int before = runner.ran_in_mode();
        runner.run(make_problem(test));
        CHECK((runner.ran_in_mode() > before) == chooses(mode));
      }
      runner.finish(300);
    }
  }
}

TEST_CASE("strided batches on device pointers") {
  for (const Routine routine : kStridedRoutines) {
    DYNAMIC_SECTION(entry_name(routine)) {
      Runner runner;
      const std::vector<Case> cases = cases_of(single_of(routine));
      const size_t step = product_of(element_of(routine)) == single_of(routine) ? 53 : 11;
      for (size_t at = 0; at < cases.size(); at += step) {
        const Case &test = cases[at];
        if (test.m * test.n * test.k > 70 * 70 * 70) continue;
        const libsgemm_layout_t layout = kLayouts[at % 2];
        const Sharing sharing = {at % 4 == 1, at % 3 == 0};
        const std::vector<Problem> problems = make_batch(test, 5, sharing);
        const Problem &first = problems.front();
        const Args shape = Placement(first, layout).args();
        Strides strides;
        strides.a = sharing.a ? 0 : extent_of(layout, shape.lda, first.a.rows, first.a.columns) + 5;
        strides.b = sharing.b ? 0 : extent_of(layout, shape.ldb, first.b.rows, first.b.columns);
        strides.c = extent_of(layout, shape.ldc, first.c.rows, first.c.columns) + 1;
        std::vector<const Problem *> pointers;
        for (const Problem &problem : problems) pointers.push_back(&problem);
        runner.run(routine, pointers, layout, strides);
      }
      runner.finish(20);
    }
  }
}

TEST_CASE("every kernel of the table runs by force") {
  REQUIRE(subject().kernels.size() > 0);
  Runner runner;
  for (const Routine routine : kSingleRoutines) {
    for (const Case &test : tries_of(routine)) runner.run(make_problem(test));
  }
  for (const Routine routine : kStridedRoutines) {
    const Problem problem = make_problem(case_of(single_of(routine), 16, 16, 16));
    runner.run(routine, {&problem, &problem, &problem}, LIBSGEMM_COL_MAJOR, {0, 0, 400});
  }
  runner.finish_kernels();
}

// This many tiles and this k put blocks in clusters of several shapes.
TEST_CASE("products of 16-bit operands in many tiles, in every kernel") {
  for (const Routine routine : {Routine::kShgemm, Routine::kSbgemm}) {
    Runner runner;
    for (int turn = 0; turn < 4; ++turn) {
      Case test = turn % 2 == 0 ? case_of(routine, 1504, 904, 1032) : case_of(routine, 408, 6232, 1032);
      test.inputs = Inputs::kRandom;
      test.padding = {8, 8, 8};
      test.transa = (turn & 1) != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.transb = (turn & 2) != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.beta = turn == 3 ? -1.0f : 0.0f;
      runner.run(make_problem(test));
    }
    runner.finish(8);
  }
}

namespace {

// `shape` and `size` must outlive the result.
BatchArgs one_group(const Args &shape, const int64_t *size) {
  BatchArgs batch;
  batch.transa = &shape.transa, batch.transb = &shape.transb;
  batch.m = &shape.m, batch.n = &shape.n, batch.k = &shape.k;
  batch.alpha = &shape.alpha, batch.beta = &shape.beta;
  batch.lda = &shape.lda, batch.ldb = &shape.ldb, batch.ldc = &shape.ldc;
  batch.group_count = 1, batch.group_size = size;
  return batch;
}

}  // namespace

TEST_CASE("batches of pointers, with the arrays in host, device and managed memory, in every kernel") {
  static constexpr int64_t kCount = 400;  // more pointers than a launch takes by value
  Case test = case_of(Routine::kSgemm, 21, 17, 35);
  test.transa = LIBSGEMM_TRANS;
  test.beta = 3;
  std::vector<Problem> problems;
  std::vector<std::unique_ptr<Placement>> hosts;
  std::vector<std::unique_ptr<DevicePlacement>> devices;
  std::vector<const void *> a, b;
  std::vector<float *> c;
  problems.reserve(kCount);
  for (int64_t i = 0; i < kCount; ++i) {
    test.offset = static_cast<int>(i % 4);
    problems.push_back(make_problem(test, static_cast<uint64_t>(i + 1)));
    hosts.push_back(std::make_unique<Placement>(problems.back(), LIBSGEMM_COL_MAJOR));
    devices.push_back(std::make_unique<DevicePlacement>(hosts.back().get(), problems.back()));
    a.push_back(devices.back()->args().a);
    b.push_back(devices.back()->args().b);
    c.push_back(devices.back()->args().c);
  }
  const size_t bytes = kCount * sizeof(void *);
  const gpu::Memory in_device(3 * bytes), in_managed(3 * bytes, gpu::Memory::managed);
  for (const gpu::Memory *arrays : {&in_device, &in_managed}) {
    gpu::upload(arrays->address(), a.data(), bytes);
    gpu::upload(arrays->address() + bytes, b.data(), bytes);
    gpu::upload(arrays->address() + 2 * bytes, c.data(), bytes);
  }
  const Args shape = devices.front()->args();
  BatchArgs batch = one_group(shape, &kCount);
  Ways ways;
  Failures failures;
  for (const gpu::Memory *arrays : {static_cast<const gpu::Memory *>(nullptr), &in_device, &in_managed}) {
    batch.a = arrays != nullptr ? arrays->as<const void *>() : a.data();
    batch.b = arrays != nullptr ? arrays->as<const void *>(bytes) : b.data();
    batch.c = arrays != nullptr ? arrays->as<float *>(2 * bytes) : c.data();
    for (Way &way : ways.all()) {
      for (const auto &device : devices) device->restore();
      const libsgemm_status_t status =
          way.handle == nullptr ? call_batch(Element::kFloat, batch) : call_batch(Element::kFloat, *way.handle, batch);
      const auto all = [&](const auto &check) {
        std::string fault;
        for (size_t i = 0; i < devices.size() && fault.empty(); ++i) fault = check(devices[i].get());
        return fault;
      };
      const std::string fault = ways.judge(
          &way, "libsgemm_sgemm_batch", false, status,
          [&](const Arithmetic &how) { return all([&](DevicePlacement *each) { return each->check(how); }); },
          [&] { return all([](DevicePlacement *each) { return each->check_untouched(); }); });
      if (!fault.empty()) {
        const char *const where = arrays == nullptr ? "host" : arrays == &in_device ? "device" : "managed";
        failures.add(std::string("arrays in ") + where + " memory, " + way.description() + ": " + fault);
      }
    }
  }
  failures.report();
}

TEST_CASE("NaN and Inf spread as in the reference, in every kernel") {
  Runner runner;
  for (const int64_t size : {1, 17, 70, 130}) {
    for (const bool in_a : {true, false}) {
      for (const float value : {kNan, kInf}) {
        Case test = case_of(Routine::kSgemm, size, size + 2, size);
        test.beta = in_a ? 0.0f : 1.0f;
        Problem problem = make_problem(test);
        for (float &x : in_a ? problem.b.values : problem.a.values) x = x == 0 ? 1.0f : x;
        Matrix &holder = in_a ? problem.a : problem.b;
        holder.at(size - 1, size / 2) = value;
        solve(&problem);
        runner.run(problem);
      }
    }
  }
  runner.finish(8);
}

TEST_CASE("an Inf times a zero gives a NaN, in every kernel") {
  Runner runner;
  Problem problem = make_problem(case_of(Routine::kSgemm, 33, 35, 40));
  for (float &x : problem.b.values) x = 0;
  problem.a.at(7, 39) = kInf;
  solve(&problem);
  runner.run(problem);
  runner.finish(1);
}

TEST_CASE("denormals are kept, in every kernel") {
  Runner runner;
  for (const int64_t size : {1, 20, 70, 129}) {
    Case test = case_of(Routine::kSgemm, size, size, size);
    test.beta = 1;
    Problem problem = make_problem(test);
    for (float &value : problem.a.values) value *= FLT_MIN / 64;
    for (float &value : problem.c.values) value *= FLT_MIN / 64;
    solve(&problem);
    runner.run(problem);
  }
  runner.finish(4);
}

TEST_CASE("a diagonal of denormals is divided by, in every kernel") {
  Runner runner;
  for (const int64_t size : {1, 20, 70, 129}) {
    Problem problem = make_problem(case_of(Routine::kStrsm, size, size, size));
    for (Matrix *x : {&problem.a, &problem.c}) {
      for (float &value : x->values) value *= 0x1p-130f;
    }
    runner.run(problem);
  }
  runner.finish(2);
}

TEST_CASE("beta = 0 writes over NaN, and -0 counts as 0, in every kernel") {
  Runner runner;
  for (const int64_t size : {1, 31, 130}) {
    Case test = case_of(Routine::kSgemm, size, size, size);
    test.beta = -0.0f;
    runner.run(make_problem(test));
  }
  runner.finish(3);
}

TEST_CASE("the same call gives the same bits, in every kernel") {
  Case test = case_of(Routine::kSgemm, 257, 300, 1500);
  test.inputs = Inputs::kRandom;
  test.alpha = 0.7f;
  test.beta = -1.3f;
  const std::vector<std::array<int64_t, 3>> sizes = {{257, 300, 1500}, {5, 700, 3000}, {700, 3, 3000}, {40, 40, 20000}};
  for (const auto &size : sizes) {
    test.m = size[0], test.n = size[1], test.k = size[2];
    const Problem problem = make_problem(test);
    Placement host(problem, LIBSGEMM_COL_MAJOR);
    DevicePlacement device(&host, problem);
    const auto count = static_cast<size_t>(host.index_in_c(test.m - 1, test.n - 1)) + 1;
    for (const std::string &kernel : subject().kernels) {
      Handle handle;
      REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
      std::vector<float> first;
      for (int repeat = 0; repeat < 3; ++repeat) {
        device.restore();
        const libsgemm_status_t status = call(Routine::kSgemm, handle, device.args());
        if (status == LIBSGEMM_NOT_SUPPORTED) break;
        REQUIRE(status == LIBSGEMM_SUCCESS);
        device.download();
        const std::vector<float> result(host.c(), host.c() + count);
        if (repeat == 0) first = result;
        INFO(kernel << " " << describe(test));
        REQUIRE(std::memcmp(result.data(), first.data(), count * sizeof(float)) == 0);
      }
    }
  }
}

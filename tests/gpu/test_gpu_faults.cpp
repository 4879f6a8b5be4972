// A failing GPU: injected faults (backends/gpu/fault.h), an illegal access, full memory. Each is a hidden test case in
// its own process. LIBSGEMM_TEST_STRICT=1 sets LIBSGEMM_STRICT there.
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "gpu_placement.h"
#include "support/catch.h"
#include "support/process.h"
#include "support/subject.h"

using namespace sgemm_test;
using gpu::DevicePlacement;
using gpu::driver;
using gpu::Memory;

namespace {

bool strict() { return std::getenv("LIBSGEMM_TEST_STRICT") != nullptr; }

const char *fault_variable() {
  return gpu::backend() == "cuda" ? "LIBSGEMM_TEST_CUDA_FAULT" : "LIBSGEMM_TEST_HIP_FAULT";
}

}  // namespace

std::string sgemm_test::skip_reason() {
  if (strict()) setenv("LIBSGEMM_STRICT", "1", 1);
  // A second device would compute what the first failed to.
  const char *devices = std::getenv("LIBSGEMM_TEST_DEVICES");
  setenv("LIBSGEMM_OFFLOAD_DEVICES", devices != nullptr ? devices : "1", 1);
  if (devices != nullptr) setenv("LIBSGEMM_DEVICE_MEMORY_LIMIT", "24M", 1);  // forces tiles
  const std::string missing = gpu::missing();
#if !defined(LIBSGEMM_FAULT_INJECTION)
  if (missing.empty() && !(gpu::backend() == "hip" && gpu::on_nvidia())) {
    return "the plugins are built as they are used, without faults: -DLIBSGEMM_FAULT_INJECTION=ON";
  }
#endif
  return missing;
}

namespace {

Problem exact_problem(int64_t size) {
  Case test;
  test.routine = Routine::kSgemm;
  test.m = test.n = test.k = size;
  test.beta = 3;
  return make_problem(test);
}

Outcome run_child(const std::string &name, const std::string &fault, bool strictly, Environment environment = {}) {
  environment["LIBSGEMM_TEST_BACKEND"] = gpu::backend();
  if (gpu::backend() != "cuda" && gpu::on_nvidia()) environment["LIBSGEMM_TEST_HIP_ON_CUDA"] = "1";
  if (!fault.empty()) environment[fault_variable()] = fault;
  if (strictly) environment["LIBSGEMM_TEST_STRICT"] = "1";
  const Outcome outcome = run_program({"/proc/self/exe", name}, environment, 300);
  INFO(name << " " << fault << (strictly ? " strict\n" : "\n") << outcome.description());
  CHECK_FALSE(outcome.timed_out);
  CHECK(outcome.exit_status == 0);
  if (!strictly && name == "host call with a fault")
    CHECK_THAT(outcome.err, Contains("backend " + gpu::backend() + " failed"));
  return outcome;
}

void expect_replacement(const Problem &problem, const std::string &words, libsgemm_status_t error) {
  Placement host(problem, LIBSGEMM_COL_MAJOR);
  const libsgemm_status_t status = call(Routine::kSgemm, host.args());
  const libsgemm_info_t info = last_info();
  INFO(info.backend << ": " << info.reason << " " << info.message);
  if (strict()) {
    CHECK(status == error);
    CHECK_THAT(info.message, Contains(words));
    CHECK(host.check_untouched() == "");
    return;
  }
  CHECK(status == LIBSGEMM_SUCCESS);
  CHECK(info.backend != gpu::backend());
  CHECK(info.fallbacks == 1);
  CHECK_THAT(info.reason, Contains(gpu::backend() + " failed") && Contains(words));
  CHECK(host.check() == "");
}

void expect_gpu(const Problem &problem) {
  Placement host(problem, LIBSGEMM_COL_MAJOR);
  REQUIRE(call(Routine::kSgemm, host.args()) == LIBSGEMM_SUCCESS);
  INFO(last_info().reason);
  CHECK(last_info().backend == gpu::backend());
  CHECK(host.check() == "");
}

// Leaves only small pieces free.
std::vector<std::unique_ptr<Memory>> fill_device() {
  std::vector<std::unique_ptr<Memory>> all;
  size_t bytes = 0, total = 0;
  gpu::use_device(0);
  gpu::require(driver().memory_info(&bytes, &total), "memory_info");
  while (bytes >= 65536) {
    try {
      all.push_back(std::make_unique<Memory>(bytes));
    } catch (const std::exception &) {
      bytes /= 2;
    }
  }
  return all;
}

}  // namespace

TEST_CASE("an injected fault of a call on host memory leads to another backend, or is the error") {
  for (const std::string fault : {"copy:1", "copy:2", "copy:3", "copy:4", "launch:1", "synchronize:1"}) {
    for (const bool strictly : {false, true}) run_child("host call with a fault", fault, strictly);
  }
}

TEST_CASE("a call on host memory tries again where memory could not be had") {
  for (const bool strictly : {false, true}) run_child("host call without a fault", "allocate:1", strictly);
}

TEST_CASE("a fault of each runtime call that a call on host memory makes leads to another backend, or is the error") {
  constexpr int kMost = 2000;
  for (const bool strictly : {false, true}) {
    int nth = 1;
    // The backend prints each injected fault. The loop ends when a call has fewer sites than `nth`.
    for (; nth < kMost; ++nth) {
      const Outcome outcome = run_child("host call with any fault", "any:" + std::to_string(nth), strictly);
      if (outcome.err.find("injected fault") == std::string::npos) break;
    }
    CHECK(nth > 5);
    CHECK(nth < kMost);
  }
}

TEST_CASE("a thousand failed calls leave nothing behind") {
  for (const std::string fault : {"allocate:1+", "copy:2+", "launch:1+", "synchronize:1+"}) {
    run_child("a thousand calls with faults", fault, false);
  }
}

TEST_CASE("a tile that arrives wrong is found, and the call is computed elsewhere, or is an error") {
  for (const std::string fault : {"flip:1", "flip:2", "flip:3", "flip:4"}) {
    for (const bool strictly : {false, true}) run_child("verified host call with a wrong tile", fault, strictly);
  }
}

TEST_CASE("an injected fault of a call on device memory is an error with C as it was") {
  for (const bool strictly : {false, true}) run_child("device call with a fault", "launch:1", strictly);
}

TEST_CASE("what a failure in managed memory may have written is not computed again") {
  // strmm of this size has several dependent launches.
  for (const std::string routine : {"sgemm", "strmm"}) {
    for (const std::string fault : {"launch:1", "launch:2", "launch:3", "synchronize:1"}) {
      run_child("a managed call with a fault", fault, false, {{"LIBSGEMM_TEST_ROUTINE", routine}});
    }
  }
}

TEST_CASE("a lost device is refused from then on") {
  for (const bool strictly : {false, true}) {
    run_child("calls after a device was lost", "lost:1", strictly);
    // AMD's runtime aborts at an illegal access.
    if (gpu::on_nvidia()) run_child("calls after an illegal access", "", strictly);
  }
}

TEST_CASE("a device without memory is replaced, or is the error") {
  for (const bool strictly : {false, true}) run_child("host call on a full device", "", strictly);
}

TEST_CASE("deterministic bits do not depend on what memory is free") {
  run_child("deterministic calls on a device that is full at times", "", false);
}

TEST_CASE("first use by many threads, fork before, after and during use, and calls from exit handlers") {
  struct Mode {
    const char *name;
    Environment lines;
  };
  const Mode mode =
      GENERATE(Mode{"first-use", {{"sound", "16"}}}, Mode{"fork-before", {{"child", "1"}}},
               Mode{"fork-after", {{"first", "1"}, {"child", "1"}, {"child_again", "1"}}},
               Mode{"fork-while", {{"children", "20"}, {"parent", "1"}}},
               Mode{"at-exit", {{"first", "1"}, {"at_exit", "1"}}}, Mode{"at-exit-first", {{"at_exit", "1"}}});
  // It is next to this program: both may have been copied to a machine with a GPU.
  const std::string probe = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "probe";
  Outcome outcome = run_probe(probe, {"--mode", mode.name, "--size", "150"}, {{"LIBSGEMM_BACKEND", gpu::backend()}});
  INFO(mode.name << "\n" << outcome.description());
  CHECK_FALSE(outcome.timed_out);
  CHECK(outcome.exit_status == 0);
  for (const auto &line : mode.lines) CHECK(outcome.report[line.first] == line.second);
}

TEST_CASE("a device gets its context when it first has work") {
  if (gpu::backend() != "cuda") {
    WARN("SKIPPED: contexts are CUDA's");
    return;
  }
  run_child("calls on the CPU", "", false);
}

TEST_CASE("a process that uses another GPU leaves the first one alone") {
  if (gpu::backend() != "cuda" || gpu::device_count() < 2) {
    WARN("SKIPPED: it takes two NVIDIA GPUs");
    return;
  }
  run_child("calls on the second GPU", "", false);
}

TEST_CASE("two equal GPUs share a call, and one computes the tiles of the other that fails") {
  if (gpu::device_count() < 2) {
    WARN("SKIPPED: it takes two GPUs");
    return;
  }
  const Environment two = {{"LIBSGEMM_TEST_DEVICES", "2"}};
  run_child("host call on two GPUs", "", false, two);
  int told = 0;
  for (const std::string fault : {"copy:12", "launch:2", "launch:3", "synchronize:25", "object:150", "lost:30"}) {
    const Outcome outcome = run_child("host call on two GPUs", fault, false, two);
    told += outcome.err.find("other devices compute its part") != std::string::npos ? 1 : 0;
  }
  CHECK(told >= 3);
}

TEST_CASE("host call on two GPUs", "[.]") {
  Case test;
  test.routine = Routine::kSgemm;
  test.m = 2500;
  test.n = 2400;
  test.k = 200;
  test.beta = 3;
  const Problem problem = make_problem(test);
  Placement host(problem, LIBSGEMM_COL_MAJOR);
  REQUIRE(call(Routine::kSgemm, host.args()) == LIBSGEMM_SUCCESS);
  INFO(last_info().reason);
  CHECK(last_info().backend == gpu::backend());
  CHECK(last_info().tiles > 1);
  if (std::getenv(fault_variable()) == nullptr) CHECK(last_info().devices == 2);
  CHECK(host.check() == "");
}

TEST_CASE("a device that the program resets") {
  if (gpu::backend() != "cuda") {
    WARN("SKIPPED: HIP does not tell of a reset");
    return;
  }
  run_child("calls before and after a reset", "", false);
}

TEST_CASE("calls on the second GPU", "[.]") {
  setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1);
  const Problem problem = exact_problem(300);
  for (int i = 0; i < 3; ++i) expect_gpu(problem);
  CHECK(last_info().device == 1);
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  CHECK_FALSE(gpu::has_context(0));
  CHECK(gpu::has_context(1));
}

TEST_CASE("calls before and after a reset", "[.]") {
  const Problem problem = exact_problem(300);
  Handle handle;
  for (int round = 0; round < 3; ++round) {
    gpu::use_device(0);
    {
      Placement host(problem, LIBSGEMM_COL_MAJOR);
      DevicePlacement device(&host, problem);
      CHECK(call(Routine::kSgemm, handle, device.args()) == LIBSGEMM_SUCCESS);
      CHECK(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
      CHECK(device.check() == "");
      host.restore();
      device.restore();
      CHECK(call(Routine::kSgemm, device.args()) == LIBSGEMM_SUCCESS);
      CHECK(device.check() == "");
    }
    for (const int64_t size : {20, 300, 1100}) expect_gpu(exact_problem(size));
    gpu::reset_device(0);
    if (round == 1) expect_gpu(problem);  // here the library is the first to use the device after a reset
  }
  CHECK(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
}

TEST_CASE("calls on the CPU", "[.]") {
  const Problem problem = exact_problem(64);
  Placement host(problem, LIBSGEMM_COL_MAJOR);
  Handle handle;
  REQUIRE(libsgemm_set_backend(handle, "ref") == LIBSGEMM_SUCCESS);
  REQUIRE(call(Routine::kSgemm, handle, host.args()) == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
  for (int device = 0; device < gpu::device_count(); ++device) CHECK_FALSE(gpu::has_context(device));
  expect_gpu(problem);
  CHECK(gpu::has_context(0));
  for (int device = 1; device < gpu::device_count(); ++device) CHECK_FALSE(gpu::has_context(device));
}

TEST_CASE("host call with a fault", "[.]") {
  const Problem problem = exact_problem(64);
  expect_replacement(problem, "", LIBSGEMM_EXECUTION_FAILED);
  expect_gpu(problem);
}

TEST_CASE("host call without a fault", "[.]") { expect_gpu(exact_problem(64)); }
TEST_CASE("host call with any fault", "[.]") {
  const Problem problem = exact_problem(64);
  Placement host(problem, LIBSGEMM_COL_MAJOR);
  const libsgemm_status_t status = call(Routine::kSgemm, host.args());
  INFO(last_info().reason << " " << last_info().message);
  if (status != LIBSGEMM_SUCCESS) {
    CHECK(strict());
    CHECK(host.check_untouched() == "");
  } else {  // with less memory the GPU may succeed
    CHECK(last_info().fallbacks == (last_info().backend == gpu::backend() ? 0 : 1));
    CHECK(host.check() == "");
  }
}

TEST_CASE("a thousand calls with faults", "[.]") {
  const Problem problem = exact_problem(64);
  Placement host(problem, LIBSGEMM_COL_MAJOR);
  size_t before = 0, now = 0, total = 0;
  int fallbacks = 0;
  gpu::use_device(0);
  for (int i = 0; i < 1020; ++i) {
    host.restore();
    REQUIRE(call(Routine::kSgemm, host.args()) == LIBSGEMM_SUCCESS);
    fallbacks += last_info().fallbacks;
    if (i == 19) gpu::require(driver().memory_info(&before, &total), "memory_info");
  }
  gpu::require(driver().memory_info(&now, &total), "memory_info");
  CHECK(fallbacks >= 500);
  CHECK(host.check() == "");
  CHECK(now + (size_t{8} << 20) >= before);
}

TEST_CASE("verified host call with a wrong tile", "[.]") {
  Handle handle;
  const Problem problem = exact_problem(64);
  Placement host(problem, LIBSGEMM_COL_MAJOR);
  REQUIRE(libsgemm_set_verify(handle, LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_RETRY) == LIBSGEMM_SUCCESS);
  const libsgemm_status_t status = call(Routine::kSgemm, handle, host.args());
  const libsgemm_info_t info = last_info();
  INFO(info.backend << ": " << info.reason << " " << info.message);
  if (strict()) {
    CHECK(status == LIBSGEMM_VERIFICATION_FAILED);
    CHECK(host.check_untouched() == "");
  } else {
    CHECK(status == LIBSGEMM_SUCCESS);
    CHECK(info.backend != gpu::backend());
    CHECK_THAT(info.reason, Contains("gave a wrong result"));
    CHECK(host.check() == "");
  }
}

TEST_CASE("device call with a fault", "[.]") {
  const Problem problem = exact_problem(64);
  Placement host(problem, LIBSGEMM_COL_MAJOR);
  DevicePlacement device(&host, problem);
  CHECK(call(Routine::kSgemm, device.args()) == LIBSGEMM_EXECUTION_FAILED);
  CHECK_THAT(last_info().message, Contains("launching a kernel"));
  CHECK(device.check_untouched() == "");
  CHECK(call(Routine::kSgemm, device.args()) == LIBSGEMM_SUCCESS);
  CHECK(device.check() == "");
}

TEST_CASE("a managed call with a fault", "[.]") {
  const bool product = std::string(std::getenv("LIBSGEMM_TEST_ROUTINE")) == "sgemm";
  const Problem problem = product ? exact_problem(64) : make_problem(case_of(Routine::kStrmm, 900, 300, 900));
  Placement host(problem, LIBSGEMM_COL_MAJOR);
  DevicePlacement device(&host, problem, Memory::managed);
  const libsgemm_status_t status = call(problem.test.routine, device.args());
  const libsgemm_info_t info = last_info();
  INFO(info.backend << " " << info.kernel << ": " << info.reason << " " << info.message);
  if (status == LIBSGEMM_SUCCESS) {
    CHECK(device.check() == "");
  } else {
    CHECK(status == LIBSGEMM_EXECUTION_FAILED);
    CHECK(info.fallbacks == 0);
  }
}

TEST_CASE("calls after a device was lost", "[.]") {
  const Problem problem = exact_problem(64);
  expect_replacement(problem, "llegal", LIBSGEMM_EXECUTION_FAILED);
  expect_replacement(problem, "was lost earlier", LIBSGEMM_EXECUTION_FAILED);
  Placement host(problem, LIBSGEMM_COL_MAJOR);
  DevicePlacement device(&host, problem);
  CHECK(call(Routine::kSgemm, device.args()) == LIBSGEMM_EXECUTION_FAILED);
  CHECK_THAT(last_info().message, Contains("was lost earlier"));
  CHECK(device.check_untouched() == "");
}

TEST_CASE("calls after an illegal access", "[.]") {
  // A's columns are half a gigabyte apart, within a few kilobytes of memory.
  constexpr int64_t kSize = 32, kFar = int64_t{1} << 27;
  Memory memory(3 * kSize * kSize * sizeof(float));
  const libsgemm_status_t status =
      libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, kSize, kSize, kSize, 1,
                     memory.as<float>(), kFar, memory.as<float>(), kSize, 0, memory.as<float>(8192), kSize);
  INFO(last_info().message);
  CHECK(status == LIBSGEMM_EXECUTION_FAILED);
  const Problem problem = exact_problem(64);
  expect_replacement(problem, "was lost earlier", LIBSGEMM_EXECUTION_FAILED);
}

TEST_CASE("host call on a full device", "[.]") {
  const Problem small = exact_problem(64), large = exact_problem(1500);
  expect_gpu(small);
  {
    const auto all = fill_device();
    expect_replacement(large, "no memory", LIBSGEMM_OUT_OF_MEMORY);
  }
  expect_gpu(large);
}

// LIBSGEMM_TEST_TRIALS: number of calls.
TEST_CASE("deterministic calls on a device that is full at times", "[.]") {
  constexpr int64_t kSizes[] = {64, 100, 333, 700, 1024, 1500};
  constexpr int64_t kLd = 1500, kDepth = 1000;
  std::vector<float> numbers(static_cast<size_t>(kLd * kLd));
  for (float &x : numbers) x = static_cast<float>(std::rand()) / static_cast<float>(RAND_MAX) - 0.5f;
  const std::vector<float> before(numbers.size(), 2);
  const size_t bytes = numbers.size() * sizeof(float);
  const Memory operand(bytes), c(bytes);
  gpu::upload(operand.address(), numbers.data(), bytes);
  // The new handle has no workspace yet.
  const auto run = [&](int64_t n, bool on_device, std::vector<float> *result) {
    Handle h;
    REQUIRE(libsgemm_set_deterministic(h, LIBSGEMM_DETERMINISTIC_ON) == LIBSGEMM_SUCCESS);
    const float *const a = on_device ? operand.as<const float>() : numbers.data();
    *result = before;
    gpu::upload(c.address(), before.data(), bytes);
    const libsgemm_status_t status =
        libsgemm_sgemm_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS, n, n, kDepth, 1.5f, a, kLd, a, kLd,
                         0.5f, on_device ? c.as<float>() : result->data(), kLd);
    CHECK(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    if (on_device) gpu::require(driver().to_host(result->data(), c.address(), bytes), "to_host");
    return status;
  };
  std::map<std::pair<int64_t, bool>, std::vector<float>> alone;
  for (const int64_t n : kSizes) {
    for (const bool on_device : {false, true}) REQUIRE(run(n, on_device, &alone[{n, on_device}]) == LIBSGEMM_SUCCESS);
  }
  const char *text = std::getenv("LIBSGEMM_TEST_TRIALS");
  const int trials = text != nullptr ? std::atoi(text) : 300;
  int failed = 0;
  for (int i = 0; i < trials; ++i) {
    const int64_t n = kSizes[static_cast<size_t>(std::rand()) % std::size(kSizes)];
    const bool on_device = std::rand() % 2 == 0;
    REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
    const auto taken = std::rand() % 3 == 0 ? fill_device() : std::vector<std::unique_ptr<Memory>>();
    std::vector<float> result;
    const libsgemm_status_t status = run(n, on_device, &result);
    INFO(n << (on_device ? " on the device: " : ": ") << last_info().message);
    CHECK(result == (status == LIBSGEMM_SUCCESS ? alone[{n, on_device}] : before));
    if (status == LIBSGEMM_SUCCESS) continue;
    ++failed;
    CHECK_THAT(last_info().message, Contains("LIBSGEMM_DETERMINISTIC=1"));
  }
  CHECK(failed > 0);
}

// LIBSGEMM_TEST_SECONDS is the test's duration, by default 3.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "support/catch.h"
#include "support/check.h"
#include "support/numbers.h"

using namespace sgemm_test;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kThreads = 64;
constexpr double kMebibyte = 1 << 20;

double seconds() {
  const char *text = std::getenv("LIBSGEMM_TEST_SECONDS");
  return text != nullptr ? std::atof(text) : 3;
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  file >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

std::vector<std::string> backends() {
  std::vector<std::string> names;
  for (int index = 0; index < libsgemm_backend_count(); ++index) {
    libsgemm_backend_info_t info;
    if (libsgemm_backend_describe(index, &info) == LIBSGEMM_SUCCESS && info.available != 0) names.push_back(info.name);
  }
  return names;
}

double free_device_bytes() {
  double least = 1e18;
  for (int index = 0; index < libsgemm_backend_count(); ++index) {
    libsgemm_backend_info_t info;
    libsgemm_device_info_t device;
    if (libsgemm_backend_describe(index, &info) != LIBSGEMM_SUCCESS || info.available == 0 || info.is_gpu == 0)
      continue;
    if (libsgemm_device_describe(index, 0, &device) != LIBSGEMM_SUCCESS) continue;
    least = std::min(least, static_cast<double>(device.memory_free_bytes));
  }
  return least;
}

std::vector<Problem> make_problems() {
  std::vector<Problem> problems;
  for (const Routine routine : kSingleRoutines) {
    for (const int64_t size : {1, 7, 40, 130}) {
      Case test = case_of(routine, size, size + 3, size + 5);
      test.alpha = -2;
      test.beta = routine == Routine::kStrmm || routine == Routine::kStrsm ? 0.0f : 1.0f;
      problems.push_back(make_problem(test));
    }
  }
  return problems;
}

struct Shared {
  const std::vector<Problem> problems = make_problems();
  const std::vector<std::string> names = backends();
  std::atomic<bool> stop{false};
  std::atomic<int64_t> calls{0};
  std::atomic<int64_t> elsewhere{0};  // computed by another backend than requested
};

std::string one_call(Shared *shared, libsgemm_handle_t handle, const std::string &backend, Random *random) {
  const auto verify = static_cast<libsgemm_verify_t>(random->integer(LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_FULL));
  if (libsgemm_set_verify(handle, verify, LIBSGEMM_VERIFY_ERROR) != LIBSGEMM_SUCCESS) return "set_verify";
  const auto pick = static_cast<size_t>(random->integer(0, static_cast<int>(shared->problems.size()) - 1));
  const Problem &problem = shared->problems[pick];
  Placement placement(problem, random->integer(0, 1) == 0 ? LIBSGEMM_COL_MAJOR : LIBSGEMM_ROW_MAJOR);
  const Routine routine = problem.test.routine;
  const bool with_handle = random->integer(0, 3) != 0;
  const libsgemm_status_t status =
      with_handle ? call(routine, handle, placement.args()) : call(routine, placement.args());
  const libsgemm_info_t info = last_info();
  ++shared->calls;
  if (status != LIBSGEMM_SUCCESS) return info.message;
  if (with_handle && info.backend != backend) ++shared->elsewhere;
  if (with_handle && verify == LIBSGEMM_VERIFY_FULL && !(info.verify_ratio >= 0 && info.verify_ratio <= 1)) {
    return "ratio " + std::to_string(info.verify_ratio);
  }
  const std::string fault = placement.check();
  return fault.empty() ? "" : std::string(info.backend) + " " + info.kernel + ": " + fault;
}

std::string work(Shared *shared, int thread) {
  Random random(static_cast<uint64_t>(thread) + 1);
  while (!shared->stop) {
    Handle handle;
    const std::string &backend = shared->names[static_cast<size_t>(thread) % shared->names.size()];
    if (libsgemm_set_backend(handle, backend.c_str()) != LIBSGEMM_SUCCESS) return "set_backend";
    for (int i = 0; i < 20 && !shared->stop; ++i) {
      const std::string fault = one_call(shared, handle, backend, &random);
      if (!fault.empty()) return fault;
    }
  }
  return "";
}

}  // namespace

TEST_CASE("64 threads mix sizes, routines and backends, and memory stays flat") {
  Shared shared;
  REQUIRE_FALSE(shared.names.empty());
  std::vector<std::string> faults(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&shared, &faults, i] { faults[static_cast<size_t>(i)] = work(&shared, i); });
  }
  const auto wait = std::chrono::duration<double>(seconds() / 2);
  std::this_thread::sleep_for(wait);
  const double resident = resident_bytes(), device = free_device_bytes();
  std::this_thread::sleep_for(wait);
  const double grown = resident_bytes() - resident, taken = device - free_device_bytes();
  shared.stop = true;
  for (std::thread &thread : threads) thread.join();
  for (const std::string &fault : faults) CHECK(fault == "");
  WARN(shared.calls << " calls, " << shared.elsewhere << " on another backend than asked for; host memory grew by "
                    << grown / kMebibyte << " MiB, device memory by " << taken / kMebibyte << " MiB");
  CHECK(shared.calls > kThreads);
  // Twice the buffers of all threads. A leak of a few bytes a call exceeds it after two minutes.
  CHECK(grown < 200 * kMebibyte);
  CHECK(taken < 200 * kMebibyte);
}

// Concurrent calls: libsgemm_last_info reports each thread's own call.
#include <pthread.h>

#include <atomic>
#include <thread>

#include "support/catch.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/numbers.h"
#include "support/subject.h"

using namespace sgemm_test;

namespace {

constexpr int kThreads = 16;

// Catch2's macros are not thread-safe: other threads return their first fault.
template <typename Work>
void run_threads(Work work) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, kThreads);
  std::vector<std::string> faults(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&barrier, &faults, &work, i] {
      pthread_barrier_wait(&barrier);
      faults[static_cast<size_t>(i)] = work(i);
    });
  }
  for (std::thread &thread : threads) thread.join();
  pthread_barrier_destroy(&barrier);
  for (const std::string &fault : faults) CHECK(fault == "");
}

std::vector<Problem> make_problems() {
  std::vector<Problem> problems;
  for (const Routine routine : kSingleRoutines) {
    for (const int64_t size : {1, 6, 33, 120}) {
      Case test;
      test.routine = routine;
      test.m = test.n = test.k = size;
      test.alpha = -2;
      test.beta = routine == Routine::kStrmm || routine == Routine::kStrsm ? 0.0f : 1.0f;
      problems.push_back(make_problem(test));
    }
  }
  return problems;
}

std::string wrong_call(Routine routine, const Args &right, libsgemm_handle_t handle) {
  Args wrong = right;
  wrong.lda = 0;
  const libsgemm_status_t status = handle == nullptr ? call(routine, wrong) : call(routine, handle, wrong);
  return misreported(status, entry_name(routine) + (handle == nullptr ? "" : "_h"), parameters(routine), "lda");
}

std::string right_call(const Problem &problem, libsgemm_layout_t layout, libsgemm_handle_t handle) {
  const Routine routine = problem.test.routine;
  Placement placement(problem, layout);
  const libsgemm_status_t status =
      handle == nullptr ? call(routine, placement.args()) : call(routine, handle, placement.args());
  const libsgemm_info_t info = last_info();
  if (status != LIBSGEMM_SUCCESS) return info.message;
  if (info.backend != subject().backend) return std::string("ran on ") + info.backend;
  if (info.entry != entry_name(routine) + (handle == nullptr ? "" : "_h")) return std::string("entry ") + info.entry;
  return placement.check();
}

}  // namespace

TEST_CASE("sixteen threads call mixed routines at once") {
  const std::vector<Problem> problems = make_problems();
  run_threads([&problems](int thread) -> std::string {
    Handle handle;
    if (libsgemm_set_backend(handle, subject().backend.c_str()) != LIBSGEMM_SUCCESS) return "set_backend failed";
    Random random(static_cast<uint64_t>(thread));
    for (int repeat = 0; repeat < 60; ++repeat) {
      const auto pick = static_cast<size_t>(random.integer(0, static_cast<int>(problems.size()) - 1));
      const libsgemm_layout_t layout = random.integer(0, 1) == 0 ? LIBSGEMM_COL_MAJOR : LIBSGEMM_ROW_MAJOR;
      const libsgemm_handle_t used = random.integer(0, 1) == 0 ? static_cast<libsgemm_handle_t>(handle) : nullptr;
      std::string fault = right_call(problems[pick], layout, used);
      if (fault.empty() && random.integer(0, 4) == 0) {
        const Placement placement(problems[pick], layout);
        fault = wrong_call(problems[pick].test.routine, placement.args(), used);
      }
      if (!fault.empty()) return describe(problems[pick].test) + ": " + fault;
    }
    return "";
  });
}

TEST_CASE("sixteen threads read the same A and B") {
  Case test;
  test.routine = Routine::kSgemm;
  test.m = test.n = test.k = 70;
  const Problem problem = make_problem(test);
  const Placement shared(problem, LIBSGEMM_COL_MAJOR);
  run_threads([&problem, &shared](int) -> std::string {
    for (int repeat = 0; repeat < 30; ++repeat) {
      Placement own(problem, LIBSGEMM_COL_MAJOR);
      Args args = own.args();
      args.a = shared.args().a;
      args.b = shared.args().b;
      if (call(Routine::kSgemm, args) != LIBSGEMM_SUCCESS) return last_info().message;
      const std::string fault = own.check();
      if (!fault.empty()) return fault;
    }
    return "";
  });
}

TEST_CASE("threads make, set and destroy handles and ask about backends while others call") {
  Case test;
  test.routine = Routine::kSgemm;
  test.m = test.n = test.k = 9;
  const Problem problem = make_problem(test);
  run_threads([&problem](int thread) -> std::string {
    for (int repeat = 0; repeat < 50; ++repeat) {
      Handle handle;
      libsgemm_set_backend(handle, thread % 2 == 0 ? "ref" : subject().backend.c_str());
      libsgemm_set_math_mode(handle, LIBSGEMM_MATH_TF32);
      libsgemm_backend_info_t info;
      for (int index = 0; index < libsgemm_backend_count(); ++index) {
        if (libsgemm_backend_describe(index, &info) != LIBSGEMM_SUCCESS) return "describe failed";
      }
      Placement placement(problem, LIBSGEMM_ROW_MAJOR);
      if (call(Routine::kSgemm, handle, placement.args()) != LIBSGEMM_SUCCESS) return last_info().message;
      if (last_info().backend != (thread % 2 == 0 ? std::string("ref") : subject().backend)) {
        return std::string("ran on ") + last_info().backend;
      }
      const std::string fault = placement.check();
      if (!fault.empty()) return fault;
    }
    return "";
  });
}

TEST_CASE("batches from sixteen threads") {
  Case test;
  test.routine = Routine::kSgemm;
  test.m = test.n = test.k = 16;
  const Problem problem = make_problem(test);
  run_threads([&problem](int) -> std::string {
    for (int repeat = 0; repeat < 20; ++repeat) {
      Placement placement({&problem, &problem, &problem}, LIBSGEMM_COL_MAJOR, {0, 0, 400});
      if (call(Routine::kSgemmStrided, placement.args()) != LIBSGEMM_SUCCESS) return last_info().message;
      const std::string fault = placement.check();
      if (!fault.empty()) return fault;
    }
    return "";
  });
}

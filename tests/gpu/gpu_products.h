// Exact products in device memory, graphs and blocked streams.
#pragma once

#include <atomic>
#include <thread>

#include "gpu_placement.h"
#include "support/subject.h"

namespace sgemm_test::gpu {

inline Problem exact_problem(int64_t m, int64_t n, int64_t k, uint64_t seed = 1) {
  Case test;
  test.routine = Routine::kSgemm;
  test.m = m;
  test.n = n;
  test.k = k;
  test.alpha = -1;
  test.beta = 1;
  return make_problem(test, seed);
}

struct OnDevice {
  explicit OnDevice(const Problem &p, Memory::Kind kind = Memory::device)
      : problem(p), host(problem, LIBSGEMM_COL_MAJOR), device(&host, problem, kind) {}

  libsgemm_status_t run() { return call(Routine::kSgemm, device.args()); }
  libsgemm_status_t run(libsgemm_handle_t handle) { return call(Routine::kSgemm, handle, device.args()); }

  Problem problem;
  Placement host;
  DevicePlacement device;
};

class Barrier {
 public:
  explicit Barrier(Handle stream) { call_host(stream, wait, &open_); }
  ~Barrier() { open_ = true; }
  void open() { open_ = true; }

 private:
  static void wait(void *open) {
    while (!*static_cast<std::atomic<bool> *>(open)) std::this_thread::yield();
  }
  std::atomic<bool> open_{false};
};

inline std::string message() { return last_info().message; }

template <typename Record>
Handle capture(Handle stream, const Record &record) {
  constexpr int kGlobal = 0;
  require(driver().begin_capture(stream, kGlobal), "begin_capture");
  record();
  Handle graph = nullptr;
  require(driver().end_capture(stream, &graph), "end_capture");
  return graph;
}

inline void replay(Handle graph, Handle stream) {
  Handle executable = nullptr;
  require(driver().instantiate(&executable, graph, 0), "instantiate");
  require(driver().launch_graph(executable, stream), "launch_graph");
  require(driver().synchronize(stream), "synchronize");
  require(driver().destroy_executable(executable), "destroy_executable");
}

}  // namespace sgemm_test::gpu

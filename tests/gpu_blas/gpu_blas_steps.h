// Steps of the programs on a vendor's BLAS (cublas_client.cpp, rocblas_client.cpp), with mock library and GPU. Each
// argument names a step; exit status 10: a step failed. gpu_blas_loader.c loads the programs as libraries and calls
// client().
//
// The including file first defines namespace `vendor`: functions, file names, enumerators and statuses.
#pragma once

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "plugins/mock.h"

namespace {

constexpr int kSize = 16;
constexpr size_t kBytes = sizeof(float) * kSize * kSize;
constexpr int kOk = 0;

void expect(bool right, const char *what) {
  if (right) return;
  fprintf(stderr, "client: %s\n", what);
  exit(10);
}

float *device_memory(float value, size_t count = size_t{kSize} * kSize) {
  void *memory = nullptr;
  expect(vendor::allocate(&memory, count * sizeof(float)) == kOk, "no memory");
  const std::vector<float> values(count, value);
  vendor::copy_to(memory, values.data(), count * sizeof(float), nullptr);
  vendor::synchronize(nullptr);
  return static_cast<float *>(memory);
}

struct Work {
  Work() {
    expect(vendor::create(&handle) == kOk, "no handle");
    vendor::create_stream(&stream, 0);
    vendor::set_stream(handle, stream);
  }
  ~Work() { expect(vendor::destroy(handle) == kOk, "destroy"); }
  Work(const Work &) = delete;
  Work &operator=(const Work &) = delete;

  int sgemm(int lda = kSize) const {
    return vendor::sgemm(handle, vendor::kNoTrans, vendor::kTrans, kSize, kSize, kSize, &alpha, a, lda, b, kSize, &beta,
                         c, kSize);
  }
  void check(float value, bool all = true, const char *what = "wrong result") const {
    float result[kSize * kSize];
    vendor::copy_from(result, c, kBytes, stream);
    vendor::synchronize(stream);
    for (const float x : result) {
      expect(x == value, what);
      if (!all) break;
    }
  }

  void *handle = nullptr, *stream = nullptr;
  float *a = device_memory(1), *b = device_memory(1), *c = device_memory(2);
  float alpha = 1, beta = 0.5f;
};

void step_sgemm() {
  const Work w;
  expect(w.sgemm() == kOk, "sgemm");
  w.check(17);
}

void step_workspace() {
  Work w;
  expect(vendor::set_workspace(w.handle, device_memory(0, 1 << 16), size_t{4} << 16) == kOk, "workspace");
  expect(w.sgemm() == kOk, "sgemm with a workspace");
  w.check(17);
  void *other = nullptr;
  vendor::create_stream(&other, 0);
  vendor::set_stream(w.handle, other);
  w.stream = other;
  expect(w.sgemm() == kOk, "sgemm on another stream");
  w.check(24.5f);
}

void step_math(int mode) {
  const Work w;
  vendor::set_math_mode(w.handle, mode);
  expect(w.sgemm() == kOk, "sgemm in a math mode");
  w.check(17);
}

void step_bad() {
  const Work w;
  expect(w.sgemm(1) == vendor::kInvalidSize, "a leading dimension that is too small");
  w.check(2);
  expect(vendor::sgemm(w.handle, vendor::kNoTrans, vendor::kNoTrans, kSize, kSize, kSize, nullptr, w.a, kSize, w.b,
                       kSize, &w.beta, w.c, kSize) == vendor::kInvalidPointer,
         "alpha is NULL");
  expect(vendor::sgemm(nullptr, vendor::kNoTrans, vendor::kNoTrans, kSize, kSize, kSize, &w.alpha, w.a, kSize, w.b,
                       kSize, &w.beta, w.c, kSize) == vendor::kInvalidHandle,
         "the handle is NULL");
}

void step_host() {
  const Work w;
  const std::vector<float> a(size_t{kSize} * kSize, 1);
  std::vector<float> c(size_t{kSize} * kSize, 2);
  expect(vendor::sgemm(w.handle, vendor::kNoTrans, vendor::kNoTrans, kSize, kSize, kSize, &w.alpha, a.data(), kSize,
                       a.data(), kSize, &w.beta, c.data(), kSize) == kOk,
         "host memory");
  vendor::synchronize(w.stream);
  expect(c.front() == 17 && c.back() == 17, "wrong result in host memory");
}

void step_threads() {
  const Work shared;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&shared] {
      const Work own;
      for (int k = 0; k < 50; ++k) {
        expect(own.sgemm() == kOk, "sgemm of a thread");
        expect(shared.sgemm() == kOk, "sgemm of several threads with one handle");
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
}

mock::Control &gpu() {
  const std::string file = std::string(getenv("LIBSGEMM_BACKEND_PATH")) + vendor::kPlugin;
  void *const plugin = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *const symbol = plugin != nullptr ? dlsym(plugin, mock::kControlSymbol) : nullptr;
  expect(symbol != nullptr, "no mock GPU");
  return *reinterpret_cast<mock::ControlEntry>(symbol)();
}

// The program gets this status when the second launch fails.
void step_failure(int status) {
  const Work w;
  expect(w.sgemm() == kOk, "sgemm");
  gpu().fail_at[mock::kLaunch] = 1;
  expect(w.sgemm() == status, "the status of a launch that fails");
  w.check(status == kOk ? 24.5f : 17);
}

// Without workspace only another kernel, with other bits, can compute.
void step_atomics(bool allowed) {
  const Work w;
  vendor::set_atomics_mode(w.handle, allowed ? 1 : 0);
  gpu().capacity = gpu().bytes + 1;
  expect(w.sgemm() == kOk, "sgemm without memory for a workspace");
  w.check(17);
  gpu().capacity = 0;
}

// Multiplies several sizes, each with a new handle, while memory becomes scarce at times and another thread
// multiplies. A size must always get equal bits, or an error status.
void step_deterministic() {
  Work w;
  std::vector<float> numbers(size_t{kSize} * kSize);
  for (float &x : numbers) x = static_cast<float>(rand()) / static_cast<float>(RAND_MAX);
  for (float *const matrix : {w.a, w.b}) vendor::copy_to(matrix, numbers.data(), kBytes, nullptr);
  vendor::synchronize(nullptr);
  std::atomic<bool> done{false};
  std::thread load([&done] {
    const Work other;
    while (!done) {
      other.sgemm();
      vendor::synchronize(other.stream);
    }
  });
  const std::vector<float> before(numbers.size(), 2);
  std::vector<float> first[kSize + 1];
  int failed = 0;
  for (int call = 0; call < 300; ++call) {
    gpu().capacity = call < kSize || rand() % 3 != 0 ? 0 : 1;
    const int n = 1 + call % kSize;
    vendor::destroy(w.handle);
    vendor::create(&w.handle);
    vendor::set_stream(w.handle, w.stream);
    vendor::copy_to(w.c, before.data(), kBytes, w.stream);
    const int status = vendor::sgemm(w.handle, vendor::kNoTrans, vendor::kTrans, n, n, kSize, &w.alpha, w.a, kSize, w.b,
                                     kSize, &w.beta, w.c, kSize);
    std::vector<float> result(numbers.size());
    vendor::copy_from(result.data(), w.c, kBytes, w.stream);
    vendor::synchronize(w.stream);
    expect(status == kOk || (status == vendor::kNoMemory && call >= kSize), "the status of a deterministic product");
    failed += status != kOk ? 1 : 0;
    if (call < kSize) first[n] = result;
    expect(result == (status == kOk ? first[n] : before), "the bits of a deterministic product");
  }
  gpu().capacity = 0;
  done = true;
  load.join();
  expect(failed > 0, "no product that lacks memory");
}

void step_wrong(int status) {
  const Work w;
  gpu().flip_bit = 1;
  expect(w.sgemm() == status, "the status of a wrong result");
  w.check(status == kOk ? 17 : 2);
}

// The second handle gets the address of the first, whose end the drop-in does not see. It must not use the first one's
// workspace.
void step_reborn() {
  const Work w;
  constexpr size_t kWorkspace = size_t{4} << 20;
  void *first = nullptr, *second = nullptr, *const workspace = gpu().allocate(0, kWorkspace);
  const auto run = [&w](void *handle) {
    expect(vendor::sgemm(handle, vendor::kNoTrans, vendor::kTrans, kSize, kSize, kSize, &w.alpha, w.a, kSize, w.b,
                         kSize, &w.beta, w.c, kSize) == kOk,
           "sgemm");
    vendor::synchronize(nullptr);
  };
  vendor::create(&first);
  vendor::set_workspace(first, workspace, kWorkspace);
  run(first);
  w.check(17);
  void *const library = dlopen(vendor::kLibrary, RTLD_NOW | RTLD_NOLOAD);
  const auto destroy = reinterpret_cast<int (*)(void *)>(dlsym(library, vendor::kDestroy));
  expect(destroy(first) == kOk, "destroy behind the drop-in");
  gpu().release(0, workspace);
  vendor::create(&second);
  expect(first == second, "another address");
  run(second);
  w.check(24.5f);
  vendor::destroy(second);
}

void step_capture() {
  const Work w;
  expect(w.sgemm() == kOk, "sgemm");
  const int calls = gpu().capturing_calls;
  gpu().set_capturing(w.stream, true);
  expect(w.sgemm() == kOk, "sgemm into a graph");
  gpu().set_capturing(w.stream, false);
  expect(gpu().capturing_calls == calls, "a call that waits while a stream records");
}

void step_fork() {
  step_sgemm();
  const pid_t child = fork();
  if (child == 0) {
    void *handle = nullptr;
    vendor::create(&handle);
    _exit(vendor::destroy(handle));
  }
  int status = -1;
  waitpid(child, &status, 0);
  expect(status == 0, "a child");
}

Work *g_kept;
void at_end() { expect(g_kept->sgemm() == kOk, "sgemm at exit"); }
void step_exit() {
  atexit(at_end);  // runs when the backend is already gone
  g_kept = new Work;
  expect(g_kept->sgemm() == kOk, "sgemm");
}

struct Step {
  const char *name;
  void (*run)();
};

const Step kSteps[] = {
    {"sgemm", step_sgemm},
    {"workspace", step_workspace},
    {"bad", step_bad},
    {"host", step_host},
    {"threads", step_threads},
    {"failure", [] { step_failure(kOk); }},
    {"strict-failure", [] { step_failure(vendor::kExecutionFailed); }},
    {"repeatable", [] { step_atomics(false); }},
    {"atomics", [] { step_atomics(true); }},
    {"deterministic", step_deterministic},
    {"wrong", [] { step_wrong(kOk); }},
    {"wrong-error", [] { step_wrong(vendor::kInternalError); }},
    {"reborn", step_reborn},
    {"capture", step_capture},
    {"fork", step_fork},
    {"exit", step_exit},
};

template <size_t COUNT>
bool run_step(const Step (&steps)[COUNT], const char *name) {
  for (const Step &step : steps) {
    if (strcmp(step.name, name) != 0) continue;
    step.run();
    return true;
  }
  return false;
}

template <size_t COUNT>
int run_steps(const Step (&own)[COUNT], int count, char **names) {
  for (int i = 0; i < count; ++i) {
    expect(run_step(kSteps, names[i]) || run_step(own, names[i]), names[i]);
  }
  return 0;
}

}  // namespace

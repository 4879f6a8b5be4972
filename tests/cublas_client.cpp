// A program on cuBLAS, for test_cublas.cpp: with a cuBLAS and a GPU that are not there (plugins/mock_cuda.cpp). Each
// argument is a step, after which the result is right or the exit status 10. Of a library for others to load
// (cublas_loader.c) it is the function `client`.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "plugins/mock.h"

extern "C" {
int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes);
int cublasSetPointerMode_v2(void *handle, int mode);
int cublasSetMathMode(void *handle, int mode);
int cublasSgemm_v2(void *handle, int transa, int transb, int m, int n, int k, const float *alpha, const float *a,
                   int lda, const float *b, int ldb, const float *beta, float *c, int ldc);
int cublasSgemmEx(void *handle, int transa, int transb, int m, int n, int k, const float *alpha, const void *a,
                  int a_type, int lda, const void *b, int b_type, int ldb, const float *beta, void *c, int c_type,
                  int ldc);
int cublasGemmEx(void *handle, int transa, int transb, int m, int n, int k, const void *alpha, const void *a,
                 int a_type, int lda, const void *b, int b_type, int ldb, const void *beta, void *c, int c_type,
                 int ldc, int compute, int algorithm);
int cublasSgemmStridedBatched(void *handle, int transa, int transb, int m, int n, int k, const float *alpha,
                              const float *a, int lda, long long stride_a, const float *b, int ldb, long long stride_b,
                              const float *beta, float *c, int ldc, long long stride_c, int count);
int cublasSgemmGroupedBatched(void *handle, const int *transa, const int *transb, const int *m, const int *n,
                              const int *k, const float *alpha, const float *const *a, const int *lda,
                              const float *const *b, const int *ldb, const float *beta, float *const *c, const int *ldc,
                              int count, const int *sizes);
int cublasSsyrk_v2(void *handle, int uplo, int trans, int n, int k, const float *alpha, const float *a, int lda,
                   const float *beta, float *c, int ldc);
int cublasStrmm_v2(void *handle, int side, int uplo, int trans, int diag, int m, int n, const float *alpha,
                   const float *a, int lda, const float *b, int ldb, float *c, int ldc);
int cublasLtCreate(void **handle);
int cublasLtDestroy(void *handle);
int cublasLtMatmulDescCreate(void **descriptor, int compute, int scale);
int cublasLtMatmulDescSetAttribute(void *descriptor, int which, const void *value, size_t bytes);
int cublasLtMatmulDescDestroy(void *descriptor);
int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t columns, int64_t ld);
int cublasLtMatrixLayoutDestroy(void *layout);
int cublasLtMatmul(void *handle, void *descriptor, const void *alpha, const void *a, void *a_layout, const void *b,
                   void *b_layout, const void *beta, const void *c, void *c_layout, void *d, void *d_layout,
                   const void *algorithm, void *workspace, size_t bytes, void *stream);
int cuMemAlloc_v2(void **memory, size_t bytes);
int cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t bytes, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, const void *from, size_t bytes, void *stream);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamSynchronize(void *stream);
}

namespace {

constexpr int kSize = 16;
constexpr size_t kBytes = sizeof(float) * kSize * kSize;
constexpr int kOk = 0, kNotInitialized = 1, kInvalidValue = 7, kExecutionFailed = 13, kInternalError = 14,
              kNotSupported = 15;

void expect(bool right, const char *what) {
  if (right) return;
  fprintf(stderr, "cublas_client: %s\n", what);
  exit(10);
}

float *device_memory(float value, size_t count = size_t{kSize} * kSize) {
  void *memory = nullptr;
  expect(cuMemAlloc_v2(&memory, count * sizeof(float)) == kOk, "no memory");
  const std::vector<float> values(count, value);
  cuMemcpyHtoDAsync_v2(memory, values.data(), count * sizeof(float), nullptr);
  cuStreamSynchronize(nullptr);
  return static_cast<float *>(memory);
}

// Matrices of ones, C of twos, a handle and its stream.
struct Work {
  Work() {
    expect(cublasCreate_v2(&handle) == kOk, "no handle");
    cuStreamCreate(&stream, 0);
    cublasSetStream_v2(handle, stream);
  }
  ~Work() { expect(cublasDestroy_v2(handle) == kOk, "destroy"); }
  Work(const Work &) = delete;
  Work &operator=(const Work &) = delete;

  int sgemm(int lda = kSize) const {
    return cublasSgemm_v2(handle, 0, 1, kSize, kSize, kSize, &alpha, a, lda, b, kSize, &beta, c, kSize);
  }
  // All of C, or its first element alone.
  void check(float value, bool all = true, const char *what = "wrong result") const {
    float result[kSize * kSize];
    cuMemcpyDtoHAsync_v2(result, c, kBytes, stream);
    cuStreamSynchronize(stream);
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

// With a workspace of the program's, and a second stream under the same handle.
void step_workspace() {
  Work w;
  expect(cublasSetWorkspace_v2(w.handle, device_memory(0, 1 << 16), size_t{4} << 16) == kOk, "workspace");
  expect(w.sgemm() == kOk, "sgemm with a workspace");
  w.check(17);
  void *other = nullptr;
  cuStreamCreate(&other, 0);
  cublasSetStream_v2(w.handle, other);
  w.stream = other;
  expect(w.sgemm() == kOk, "sgemm on another stream");
  w.check(24.5f);
}

void step_device_scalars() {
  const Work w;
  cublasSetPointerMode_v2(w.handle, 1);
  const float *const one = device_memory(1, 1), *const half = device_memory(0.5f, 1);
  expect(
      cublasSgemmEx(w.handle, 0, 0, kSize, kSize, kSize, one, w.a, 0, kSize, w.b, 0, kSize, half, w.c, 0, kSize) == kOk,
      "scalars on the device");
  w.check(17);
}

void step_math(int mode) {
  const Work w;
  cublasSetMathMode(w.handle, mode);
  expect(w.sgemm() == kOk, "sgemm in a math mode");
  w.check(17);
}

void step_bad() {
  const Work w;
  expect(w.sgemm(1) == kInvalidValue, "a leading dimension that is too small");
  w.check(2);
  expect(cublasSgemm_v2(w.handle, 0, 0, kSize, kSize, kSize, nullptr, w.a, kSize, w.b, kSize, &w.beta, w.c, kSize) ==
             kInvalidValue,
         "alpha is NULL");
  expect(cublasSgemm_v2(nullptr, 0, 0, kSize, kSize, kSize, &w.alpha, w.a, kSize, w.b, kSize, &w.beta, w.c, kSize) ==
             kNotInitialized,
         "the handle is NULL");
}

void step_types() {
  const Work w;
  const auto ex = [&](int type, int compute) {
    return cublasGemmEx(w.handle, 0, 0, kSize, kSize, kSize, &w.alpha, w.a, type, kSize, w.b, type, kSize, &w.beta, w.c,
                        0, kSize, compute, -1);
  };
  expect(ex(0, 68) == kOk, "FP32");
  w.check(17);
  expect(ex(14, 68) == kOk, "BF16");
  expect(ex(1, 70) == kNotSupported, "FP64");  // as the mock cuBLAS says
}

void step_batches() {
  const Work w;
  constexpr int kHalf = kSize / 2;
  expect(cublasSgemmStridedBatched(w.handle, 0, 0, kSize, kHalf, kSize, &w.alpha, w.a, kSize, 0, w.b, kSize,
                                   kSize * kHalf, &w.beta, w.c, kSize, kSize * kHalf, 2) == kOk,
         "batch by strides");
  w.check(17);
  expect(cublasSgemmStridedBatched(w.handle, 0, 0, kSize, kHalf, kSize, &w.alpha, w.a, kSize, 0, w.b, kSize,
                                   kSize * kHalf, &w.beta, w.c, kSize, kSize * kHalf, 0) == kOk,
         "an empty batch");
  const int op = 0, size = kSize, count = 1;
  const float *a = w.a, *b = w.b;
  float *c = w.c;
  expect(cublasSgemmGroupedBatched(w.handle, &op, &op, &size, &size, &size, &w.alpha, &a, &size, &b, &size, &w.beta, &c,
                                   &size, 1, &count) == kOk,
         "a group");
  w.check(24.5f);
}

// The mock GPU has no row for the first, and one for the second, which goes by a copy.
void step_level3() {
  const Work w;
  expect(cublasSsyrk_v2(w.handle, 0, 0, kSize, kSize, &w.alpha, w.a, kSize, &w.beta, w.c, kSize) == kOk, "syrk");
  w.check(17, false);
  expect(cublasStrmm_v2(w.handle, 0, 1, 0, 0, kSize, kSize, &w.alpha, w.a, kSize, w.b, kSize, w.c, kSize) == kOk,
         "trmm");
  w.check(kSize, false);
}

void step_host() {
  const Work w;
  const std::vector<float> a(size_t{kSize} * kSize, 1);
  std::vector<float> c(size_t{kSize} * kSize, 2);
  expect(cublasSgemm_v2(w.handle, 0, 0, kSize, kSize, kSize, &w.alpha, a.data(), kSize, a.data(), kSize, &w.beta,
                        c.data(), kSize) == kOk,
         "host memory");
  cuStreamSynchronize(w.stream);
  expect(c.front() == 17 && c.back() == 17, "wrong result in host memory");
}

void lt(bool with_bias) {
  const Work w;
  void *handle = w.handle, *descriptor = nullptr, *layout = nullptr;  // which may be used as one of cublasLt
  cublasLtMatmulDescCreate(&descriptor, 68, 0);
  const int epilogue = 4, trans = 1;
  cublasLtMatmulDescSetAttribute(descriptor, 4, &trans, sizeof trans);
  if (with_bias) cublasLtMatmulDescSetAttribute(descriptor, 7, &epilogue, sizeof epilogue);
  cublasLtMatrixLayoutCreate(&layout, 0, kSize, kSize, kSize);
  const uint64_t algorithm[8] = {1};
  expect(cublasLtMatmul(handle, descriptor, &w.alpha, w.a, layout, w.b, layout, &w.beta, w.c, layout, w.c, layout,
                        algorithm, nullptr, 0, w.stream) == kOk,
         "cublasLtMatmul");
  w.check(17);
  cublasLtMatrixLayoutDestroy(layout);
  cublasLtMatmulDescDestroy(descriptor);
}

// D = relu(bias - A B) in matrices that are large enough for an epilogue in a pass of its own.
void lt_epilogue(int status, bool all_of_it) {
  constexpr int kRows = 256, kColumns = 128, kDepth = 8192;
  const Work w;
  const float *const a = device_memory(1, size_t{kRows} * kDepth), *const b =
                                                                       device_memory(1, size_t{kDepth} * kColumns);
  float *const d = device_memory(NAN, size_t{kRows} * kColumns);
  std::vector<float> bias;
  for (int i = 0; i < kRows; ++i) bias.push_back(static_cast<float>(64 * i));
  float *const bias_there = device_memory(0, kRows);
  cuMemcpyHtoDAsync_v2(bias_there, bias.data(), kRows * sizeof(float), nullptr);
  cuStreamSynchronize(nullptr);
  const float minus = -1, zero = 0;
  void *descriptor = nullptr, *layout_a = nullptr, *layout_b = nullptr, *layout_d = nullptr;
  cublasLtMatmulDescCreate(&descriptor, 68, 0);
  const int relu_of_sum = 6;
  cublasLtMatmulDescSetAttribute(descriptor, 7, &relu_of_sum, sizeof relu_of_sum);
  cublasLtMatmulDescSetAttribute(descriptor, 8, &bias_there, sizeof bias_there);
  cublasLtMatrixLayoutCreate(&layout_a, 0, kRows, kDepth, kRows);
  cublasLtMatrixLayoutCreate(&layout_b, 0, kDepth, kColumns, kDepth);
  cublasLtMatrixLayoutCreate(&layout_d, 0, kRows, kColumns, kRows);
  const uint64_t algorithm[8] = {1};
  expect(cublasLtMatmul(w.handle, descriptor, &minus, a, layout_a, b, layout_b, &zero, d, layout_d, d, layout_d,
                        algorithm, nullptr, 0, w.stream) == status,
         "the status of cublasLtMatmul with an epilogue");
  std::vector<float> result(size_t{kRows} * kColumns);
  cuMemcpyDtoHAsync_v2(result.data(), d, result.size() * sizeof(float), w.stream);
  cuStreamSynchronize(w.stream);
  for (size_t at = 0; all_of_it && at < result.size(); ++at) {
    expect(result[at] == std::max(bias[at % kRows] - kDepth, 0.0f), "D of an epilogue");
  }
  for (void *const layout : {layout_a, layout_b, layout_d}) cublasLtMatrixLayoutDestroy(layout);
  cublasLtMatmulDescDestroy(descriptor);
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
  const std::string file = std::string(getenv("LIBSGEMM_BACKEND_PATH")) + "/libsgemm_cuda.so";
  void *const plugin = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *const symbol = plugin != nullptr ? dlsym(plugin, mock::kControlSymbol) : nullptr;
  expect(symbol != nullptr, "no mock GPU");
  return *reinterpret_cast<mock::ControlEntry>(symbol)();
}

// The second call fails in libsgemm, as its launch does, with this status for the program.
void step_failure(int status) {
  const Work w;
  expect(w.sgemm() == kOk, "sgemm");
  gpu().fail_at[mock::kLaunch] = 1;
  expect(w.sgemm() == status, "the status of a launch that fails");
  w.check(status == kOk ? 24.5f : 17);
}

// What fails behind a product cannot be made good.
void step_failed_epilogue() {
  gpu().fail_at[mock::kEpilogue] = 1;
  lt_epilogue(kExecutionFailed, false);
}

// An element that the verification of libsgemm finds wrong.
void step_wrong(int status) {
  const Work w;
  gpu().flip_bit = 1;
  expect(w.sgemm() == status, "the status of a wrong result");
  w.check(status == kOk ? 17 : 2);
}

// Into a graph, with a workspace that is not the handle's own.
void step_capture() {
  const Work w;
  expect(w.sgemm() == kOk, "sgemm");
  const int calls = gpu().capturing_calls;
  gpu().set_capturing(w.stream, true);
  expect(w.sgemm() == kOk, "sgemm into a graph");
  gpu().set_capturing(w.stream, false);
  expect(gpu().capturing_calls == calls, "a call that waits while a stream records");
}

// The rest is done in a child.
void step_fork() {
  step_sgemm();
  const pid_t child = fork();
  if (child == 0) {
    void *handle = nullptr;
    cublasCreate_v2(&handle);
    _exit(cublasDestroy_v2(handle));
  }
  int status = -1;
  waitpid(child, &status, 0);
  expect(status == 0, "a child");
}

// A handle that the program keeps to the end, used once more behind main.
Work *g_kept;
void at_end() { expect(g_kept->sgemm() == kOk, "sgemm at exit"); }
void step_exit() {
  atexit(at_end);  // which runs when the backend counts as gone
  g_kept = new Work;
  expect(g_kept->sgemm() == kOk, "sgemm");
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int client(int count, char **steps) {
  for (int i = 0; i < count; ++i) {
    const std::string step = steps[i];
    if (step == "sgemm") step_sgemm();
    if (step == "workspace") step_workspace();
    if (step == "device-scalars") step_device_scalars();
    if (step == "pedantic") step_math(2);
    if (step == "tf32") step_math(3);
    if (step == "bad") step_bad();
    if (step == "types") step_types();
    if (step == "batches") step_batches();
    if (step == "level3") step_level3();
    if (step == "host") step_host();
    if (step == "lt") lt(false);
    if (step == "lt-bias") lt(true);
    if (step == "lt-epilogue") lt_epilogue(kOk, true);
    if (step == "failed-epilogue") step_failed_epilogue();
    if (step == "threads") step_threads();
    if (step == "failure") step_failure(kOk);
    if (step == "strict-failure") step_failure(kExecutionFailed);
    if (step == "wrong") step_wrong(kOk);
    if (step == "wrong-error") step_wrong(kInternalError);
    if (step == "capture") step_capture();
    if (step == "fork") step_fork();
    if (step == "exit") step_exit();
  }
  return 0;
}

#ifndef CUBLAS_CLIENT_MODULE
int main(int count, char **arguments) { return client(count - 1, arguments + 1); }
#endif

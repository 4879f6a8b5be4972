// Calls cuBLAS, for test_cublas.cpp.
#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <cmath>
#include <vector>

extern "C" {
int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes);
int cublasSetPointerMode_v2(void *handle, int mode);
int cublasSetMathMode(void *handle, int mode);
int cublasSetAtomicsMode(void *handle, int mode);
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

namespace vendor {

constexpr const char *kPlugin = "/libsgemm_cuda.so", *kLibrary = "libcublas.so.13", *kDestroy = "cublasDestroy_v2";
constexpr int kNoTrans = 0, kTrans = 1;
constexpr int kInvalidHandle = 1, kNoMemory = 3, kInvalidSize = 7, kInvalidPointer = 7, kExecutionFailed = 13,
              kInternalError = 14, kNotSupported = 15;
constexpr auto create = cublasCreate_v2;
constexpr auto destroy = cublasDestroy_v2;
constexpr auto set_stream = cublasSetStream_v2;
constexpr auto set_workspace = cublasSetWorkspace_v2;
constexpr auto set_math_mode = cublasSetMathMode;
constexpr auto set_atomics_mode = cublasSetAtomicsMode;
constexpr auto sgemm = cublasSgemm_v2;
constexpr auto allocate = cuMemAlloc_v2;
constexpr auto copy_to = cuMemcpyHtoDAsync_v2;
constexpr auto copy_from = cuMemcpyDtoHAsync_v2;
constexpr auto create_stream = cuStreamCreate;
constexpr auto synchronize = cuStreamSynchronize;

}  // namespace vendor

#include "gpu_blas_steps.h"

namespace {

void step_device_scalars() {
  const Work w;
  cublasSetPointerMode_v2(w.handle, 1);
  const float *const one = device_memory(1, 1), *const half = device_memory(0.5f, 1);
  expect(
      cublasSgemmEx(w.handle, 0, 0, kSize, kSize, kSize, one, w.a, 0, kSize, w.b, 0, kSize, half, w.c, 0, kSize) == kOk,
      "scalars on the device");
  w.check(17);
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
  expect(ex(1, 70) == vendor::kNotSupported, "FP64");
}

template <size_t N>
float **device_array(float *const (&pointers)[N]) {
  void *const memory = gpu().allocate(0, sizeof pointers);
  gpu().write(memory, pointers, sizeof pointers);
  return static_cast<float **>(memory);
}

int group(const Work &w, float *const *a, float *const *b, float *const *c) {
  const int op = 0, size = kSize, count = 1;
  return cublasSgemmGroupedBatched(w.handle, &op, &op, &size, &size, &size, &w.alpha, a, &size, b, &size, &w.beta, c,
                                   &size, 1, &count);
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
  expect(group(w, device_array({w.a}), device_array({w.b}), device_array({w.c})) == kOk, "a group");
  w.check(24.5f);
}

// Earlier work on the stream fills the pointer arrays, as a graph does at each replay: they must be read when the
// product runs. The CPU would find another C.
void step_arrays() {
  for (const bool managed : {true, false}) {
    const Work w, other;
    float *const filled[] = {w.a, w.b, w.c}, *const before[] = {w.a, w.b, other.c};
    const auto arrays = static_cast<float **>(managed ? gpu().allocate_managed(0, sizeof filled)
                                                      : gpu().allocate_pinned(sizeof filled));
    memcpy(arrays, before, sizeof before);
    gpu().hangs = true;
    gpu().enqueue_copy(w.stream, arrays, filled, sizeof filled);
    expect(group(w, arrays, arrays + 1, arrays + 2) == kOk, "a group by arrays that are still to be filled");
    gpu().hangs = false;
    w.check(17);
    other.check(2, true, "a group by arrays as they were before");
  }
}

// cuBLAS decides whether a GPU reads arrays in host memory.
void step_host_arrays() {
  const Work w;
  float *arrays[] = {w.a, w.b, w.c};
  expect(group(w, arrays, arrays + 1, arrays + 2) == kOk, "a group by arrays in host memory");
  w.check(17);
}

// The stream's device computes on managed memory, cuBLAS on another device's memory.
void step_devices() {
  Work w;
  void *const streams[] = {gpu().stream(1), nullptr};
  for (void *const stream : streams) {
    for (float **x : {&w.a, &w.b, &w.c}) {
      *x = static_cast<float *>(gpu().allocate_managed(0, kBytes));
      std::fill_n(*x, kSize * kSize, x == &w.c ? 2.0f : 1.0f);
    }
    gpu().use_device(1);
    w.stream = stream;
    vendor::set_stream(w.handle, stream);
    const int launches = gpu().launches[1];
    expect(w.sgemm() == kOk, "managed memory");
    expect(gpu().launches[1] - launches == 1, "another device than the stream's");
    w.check(17);
  }
  const Work peer;
  gpu().use_device(1);
  vendor::set_stream(peer.handle, nullptr);
  expect(peer.sgemm() == kOk, "memory of another device");
}

// The next call reuses events that could not be recorded.
void step_no_record() {
  const Work w;
  for (int i = 0; i < 5; ++i) expect(w.sgemm() == kOk, "sgemm");
  void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto events = reinterpret_cast<int (*)()>(dlsym(driver, "mock_events"));
  expect(events() == 2, "events are lost");
}

// The second group's launch fails after the first's: C can be computed again only if it is not read.
void step_failed_group(float beta_of_both, int status) {
  const Work w;
  constexpr int kHalf = kSize / 2;
  const int op[2] = {}, rows[2] = {kSize, kSize}, columns[2] = {kHalf, kHalf}, count[2] = {1, 1};
  const float alpha[2] = {1, 1}, beta[2] = {beta_of_both, beta_of_both};
  float *const *const a = device_array({w.a, w.a}), *const *const b = device_array({w.b, w.b});
  float *const *const c = device_array({w.c, w.c + kSize * kHalf});
  gpu().fail_at[mock::kLaunch] = 2;
  expect(cublasSgemmGroupedBatched(w.handle, op, op, rows, columns, rows, alpha, a, rows, b, rows, beta, c, rows, 2,
                                   count) == status,
         "the status of groups of which one fails");
  w.check(kSize + 2 * beta_of_both, status == kOk, "C of the first group");
}

// The mock has no SYRK kernel, and TRMM in place only: the drop-in copies B to C first.
void step_level3() {
  const Work w;
  expect(cublasSsyrk_v2(w.handle, 0, 0, kSize, kSize, &w.alpha, w.a, kSize, &w.beta, w.c, kSize) == kOk, "syrk");
  w.check(17, false);
  expect(cublasStrmm_v2(w.handle, 0, 1, 0, 0, kSize, kSize, &w.alpha, w.a, kSize, w.b, kSize, w.c, kSize) == kOk,
         "trmm");
  w.check(kSize, false);
}

void lt(bool with_bias) {
  const Work w;
  void *handle = w.handle, *descriptor = nullptr, *layout = nullptr;  // a cuBLAS handle is a valid cublasLt handle
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

// The product is large enough for a separate epilogue.
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

// After the product a failure cannot be recovered.
void step_failed_epilogue() {
  gpu().fail_at[mock::kEpilogue] = 1;
  lt_epilogue(vendor::kExecutionFailed, false);
}

const Step kOwnSteps[] = {
    {"device-scalars", step_device_scalars},
    {"pedantic", [] { step_math(2); }},
    {"tf32", [] { step_math(3); }},
    {"types", step_types},
    {"batches", step_batches},
    {"arrays", step_arrays},
    {"host-arrays", step_host_arrays},
    {"devices", step_devices},
    {"no-record", step_no_record},
    {"failed-group", [] { step_failed_group(0.5f, vendor::kExecutionFailed); }},
    {"failed-group-anew", [] { step_failed_group(0, kOk); }},
    {"level3", step_level3},
    {"lt", [] { lt(false); }},
    {"lt-bias", [] { lt(true); }},
    {"lt-epilogue", [] { lt_epilogue(kOk, true); }},
    {"failed-epilogue", step_failed_epilogue},
};

}  // namespace

extern "C" __attribute__((visibility("default"))) int client(int count, char **steps) {
  return run_steps(kOwnSteps, count, steps);
}

int main(int count, char **arguments) { return client(count - 1, arguments + 1); }

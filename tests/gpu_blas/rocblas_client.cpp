// Calls rocBLAS, for test_rocblas.cpp.
#include <stddef.h>
#include <stdint.h>

#include <tuple>

#include "libsgemm.h"

extern "C" {
int rocblas_create_handle(void **handle);
int rocblas_destroy_handle(void *handle);
int rocblas_set_stream(void *handle, void *stream);
int rocblas_set_workspace(void *handle, void *workspace, size_t bytes);
int rocblas_set_device_memory_size(void *handle, size_t bytes);
int rocblas_set_pointer_mode(void *handle, int mode);
int rocblas_set_math_mode(void *handle, int mode);
int rocblas_set_atomics_mode(void *handle, int mode);
int rocblas_start_device_memory_size_query(void *handle);
int rocblas_stop_device_memory_size_query(void *handle, size_t *bytes);
int rocblas_sgemm(void *handle, int transa, int transb, int m, int n, int k, const float *alpha, const float *a,
                  int lda, const float *b, int ldb, const float *beta, float *c, int ldc);
int hipMalloc(void **memory, size_t bytes);
int hipFree(void *memory);
int hipMemcpyHtoDAsync(void *to, const void *from, size_t bytes, void *stream);
int hipMemcpyDtoHAsync(void *to, const void *from, size_t bytes, void *stream);
int hipStreamCreateWithFlags(void **stream, unsigned flags);
int hipStreamSynchronize(void *stream);
}

namespace vendor {

constexpr const char *kPlugin = "/libsgemm_hip.so", *kLibrary = "librocblas.so.4", *kDestroy = "rocblas_destroy_handle";
constexpr int kNoTrans = LIBSGEMM_NO_TRANS, kTrans = LIBSGEMM_TRANS;
constexpr int kInvalidHandle = 1, kNotImplemented = 2, kInvalidPointer = 3, kInvalidSize = 4, kExecutionFailed = 6,
              kInternalError = 6, kNoMemory = 5, kSizeIncreased = 9;
constexpr auto create = rocblas_create_handle;
constexpr auto destroy = rocblas_destroy_handle;
constexpr auto set_stream = rocblas_set_stream;
constexpr auto set_workspace = rocblas_set_workspace;
constexpr auto set_math_mode = rocblas_set_math_mode;
constexpr auto set_atomics_mode = rocblas_set_atomics_mode;
constexpr auto sgemm = rocblas_sgemm;
constexpr auto allocate = hipMalloc;
constexpr auto copy_to = hipMemcpyHtoDAsync;
constexpr auto copy_from = hipMemcpyDtoHAsync;
constexpr auto create_stream = hipStreamCreateWithFlags;
constexpr auto synchronize = hipStreamSynchronize;

}  // namespace vendor

#include "rocblas_routines.h"

namespace {

void step_device_scalars() {
  const Work w;
  rocblas_set_pointer_mode(w.handle, 1);
  const float *const one = device_memory(1, 1), *const half = device_memory(0.5f, 1);
  expect(rocblas_sgemm(w.handle, kN, kN, kSize, kSize, kSize, one, w.a, kSize, w.b, kSize, half, w.c, kSize) == kOk,
         "scalars on the device");
  w.check(17);
}

void step_size_query() {
  const Work w;
  rocblas_start_device_memory_size_query(w.handle);
  expect(w.sgemm() == vendor::kSizeIncreased, "sgemm in a query");
  size_t bytes = 1;
  rocblas_stop_device_memory_size_query(w.handle, &bytes);
  w.check(2);
}

int ex(const Work &w, const float *beta, const float *c, int ldc, int type, int compute, int algorithm, int solution,
       uint32_t flags) {
  return rocblas_gemm_ex(w.handle, kN, kN, kSize, kSize, kSize, &w.alpha, w.a, type, kSize, w.b, type, kSize, beta, c,
                         kF32, ldc, w.c, kF32, kSize, compute, algorithm, solution, flags);
}

void step_extended() {
  const Work w;
  const float *const other = device_memory(4);
  const float zero = 0;
  expect(ex(w, &w.beta, other, kSize, kF32, kF32, 0, 0, 0) == kOk, "C apart from D");
  w.check(18);
  expect(ex(w, &zero, other, kSize, kF32, kF32, 1, 0, 0) == kOk, "C that is not read");
  w.check(16);
  expect(ex(w, &zero, w.c, kSize, kF32, kF32, 1, 77, 0) == kOk, "a solution");
  expect(ex(w, &zero, w.c, kSize, kF32, kF32, 0, 0, 4) == vendor::kNotImplemented, "flags");
  expect(ex(w, &zero, w.c, kSize, kF64, kF64, 0, 0, 0) == vendor::kNotImplemented, "FP64");
  expect(ex(w, &zero, w.c, kSize, kF16, kF16, 0, 0, 0) == vendor::kNotImplemented, "sums of FP16");
  expect(ex(w, &w.beta, w.c, kSize + 1, kF32, kF32, 0, 0, 0) == vendor::kInvalidSize, "C is D with another ldc");
  w.check(16);
}

void step_workspace_kept() {
  Work w;
  constexpr size_t kWorkspace = size_t{4} << 20;
  void *workspace = nullptr;
  hipMalloc(&workspace, kWorkspace);
  rocblas_set_workspace(w.handle, workspace, kWorkspace);
  const int64_t before = gpu().bytes;
  expect(w.sgemm() == kOk, "sgemm with a workspace");
  hipStreamSynchronize(w.stream);
  hipStreamCreateWithFlags(&w.stream, 0);
  rocblas_set_stream(w.handle, w.stream);
  expect(w.sgemm() == kOk, "sgemm on another stream");
  w.check(24.5f);
  expect(gpu().bytes == before, "another workspace than the program's");
  rocblas_set_device_memory_size(w.handle, 0);
  hipFree(workspace);
  expect(w.sgemm() == kOk, "sgemm without a workspace");
  w.check(28.25f);
  expect(gpu().bytes > before - static_cast<int64_t>(kWorkspace), "no workspace of our own");
}

// rocBLAS 3's STRMM has no C and ldc.
void step_old_trmm() {
  const Work w;
  const auto strmm =
      reinterpret_cast<int (*)(void *, int, int, int, int, int, int, const float *, const float *, int, float *, int)>(
          reinterpret_cast<void *>(rocblas_strmm));
  const auto latest = behind<std::remove_pointer_t<mock::RocblasLatest>>(mock::kRocblasLatest);
  latest(true);
  expect(strmm(w.handle, LIBSGEMM_LEFT, LIBSGEMM_UPPER, kN, LIBSGEMM_NON_UNIT, kSize, kSize, &w.alpha, w.a, kSize, w.c,
               kSize) == kOk,
         "strmm of rocBLAS 3");
  const std::string arrived = latest(false);
  const std::string sent =
      mock::words("rocblas_strmm", w.handle, static_cast<int>(LIBSGEMM_LEFT), static_cast<int>(LIBSGEMM_UPPER), kN,
                  static_cast<int>(LIBSGEMM_NON_UNIT), kSize, kSize, &w.alpha, w.a, kSize, w.c, kSize);
  expect(arrived.compare(0, sent.size(), sent) == 0, arrived.c_str());
  w.check(2);
}

// STRMM out of place copies B first. Without a kernel only one such copy is wasted.
void step_trmm_lacking() {
  const Work w;
  for (int i = 0; i < 3; ++i) {
    expect(rocblas_strmm(w.handle, LIBSGEMM_LEFT, LIBSGEMM_LOWER, kN, LIBSGEMM_NON_UNIT, kSize, kSize, &w.alpha, w.a,
                         kSize, w.b, kSize, w.c, kSize) == kOk,
           "strmm without a kernel");
    w.check(1, false);
  }
  expect(behind<int()>("mock_rocblas_copies")() == 1, "copies that nobody needs");
}

const Step kOwnSteps[] = {
    {"trmm-lacking", step_trmm_lacking}, {"device-scalars", step_device_scalars},
    {"xf32", [] { step_math(1); }},      {"size-query", step_size_query},
    {"extended", step_extended},         {"workspace-kept", step_workspace_kept},
    {"old-trmm", step_old_trmm},         {"forward", step_forward},
    {"products", step_products},         {"level3", step_level3},
};

}  // namespace

extern "C" __attribute__((visibility("default"))) int client(int count, char **steps) {
  return run_steps(kOwnSteps, count, steps);
}

int main(int count, char **arguments) { return client(count - 1, arguments + 1); }

// Mock of NVIDIA's driver, cuBLAS, cublasLt, cuDNN and management library, for the bench: one library under five names
// (mock_stack.h). MOCK_CUDA selects a fault.
#include <cstddef>
#include <cstdint>

namespace {

constexpr const char *kBackend = "cuda", *kFaults = "MOCK_CUDA", *kCode = ".version ";
constexpr int kCompute32F = 68, kTrans = 1, kTransa = 3, kTransb = 4, kAlgorithmWords = 8;

}  // namespace

#define MOCK_SYMBOL(cuda, hip) cuda
#include "mock_stack.h"

EXPORT int cuDeviceGetAttribute(int *value, int which, int) {
  switch (which) {
    case 16:
      return *value = 4, kSuccess;
    case 38:
      return *value = 1 << 16, kSuccess;
    // Memory clock in kHz, width in bits. Unknown except with "slow_memory": 2000 bytes a second.
    case 36:
      return *value = asked_for("slow_memory") ? 1 : 0, kSuccess;
    case 37:
      return *value = 8, kSuccess;
    case 75:
      return *value = 9, kSuccess;
    default:
      return *value = 0, kSuccess;
  }
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int) { return *context = nullptr, kSuccess; }
EXPORT int cuCtxSetCurrent(void *) { return kSuccess; }
EXPORT int cuGetErrorName(int error, const char **name) {
  return *name = error == kNoDevice ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_UNKNOWN", kSuccess;
}
EXPORT int cuGetErrorString(int error, const char **text) {
  return *text = error == kNoDevice ? "no CUDA-capable device is detected" : "unknown error", kSuccess;
}
// One context, which is reset only for "reset"; no stream records a graph.
EXPORT int cuCtxGetCurrent(void **context) { return *context = nullptr, kSuccess; }
EXPORT int cuCtxGetId(void *, unsigned long long *id) { return *id = 7, kSuccess; }
EXPORT int cuCtxGetDevice(int *device) { return *device = 0, kSuccess; }
EXPORT int cuDevicePrimaryCtxGetState(int, unsigned *flags, int *active) {
  return *flags = 0, *active = asked_for("reset") ? 0 : 1, kSuccess;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int) { return kSuccess; }
EXPORT int cuStreamIsCapturing(void *, int *capturing) { return *capturing = 0, kSuccess; }
EXPORT int cuThreadExchangeStreamCaptureMode(int *) { return kSuccess; }
EXPORT int cuDriverGetVersion(int *version) { return *version = 13000, kSuccess; }

EXPORT int cublasCreate_v2(BlasHandle **handle) {
  create_handle(handle);
  return (*handle)->atomics_mode = 0, kSuccess;
}
EXPORT int cublasDestroy_v2(BlasHandle *handle) { return destroy_handle(handle); }
EXPORT int cublasSetStream_v2(BlasHandle *handle, void *stream) { return handle->stream = stream, kSuccess; }
EXPORT int cublasSetWorkspace_v2(BlasHandle *, void *workspace, size_t bytes) {
  return workspace != nullptr && bytes > 0 ? kSuccess : 7;
}
EXPORT int cublasSetMathMode(BlasHandle *handle, int mode) {
  if (mode != 0 && mode != 2 && mode != 3) return 7;
  return handle->mode = mode, kSuccess;
}
EXPORT int cublasGetProperty(int which, int *value) { return *value = 13 - which, kSuccess; }
EXPORT int cublasSgemm_v2(BlasHandle *handle, int transa, int transb, int m, int n, int k, const float *alpha,
                          const float *a, int lda, const float *b, int ldb, const float *beta, float *c, int ldc) {
  if (handle == nullptr) return 1;
  if (m < 0 || n < 0 || k < 0 || lda < (transa == 1 ? k : m) || alpha == nullptr) return 7;
  return multiply(handle->stream, transa == 1, transb == 1, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}
// cublasXt: operands in host memory.
EXPORT int cublasXtCreate(BlasHandle **handle) { return cublasCreate_v2(handle); }
EXPORT int cublasXtDestroy(BlasHandle *handle) { return cublasDestroy_v2(handle); }
EXPORT int cublasXtDeviceSelect(BlasHandle *, int count, const int *devices) {
  return count == 1 && devices[0] == 0 ? kSuccess : 7;
}
EXPORT int cublasXtSgemm(BlasHandle *, int transa, int transb, size_t m, size_t n, size_t k, const float *alpha,
                         const float *a, size_t lda, const float *b, size_t ldb, const float *beta, float *c,
                         size_t ldc) {
  const auto size = [](size_t value) { return static_cast<int64_t>(value); };
  const int status = multiply(nullptr, transa == 1, transb == 1, size(m), size(n), size(k), *alpha, a, size(lda), b,
                              size(ldb), *beta, c, size(ldc));
  synchronize(nullptr);
  return status;
}
// 16-bit inputs, FP32 accumulators and output; pedantic math excludes tensor cores.
EXPORT int cublasGemmEx(BlasHandle *handle, int transa, int transb, int m, int n, int k, const float *alpha,
                        const void *a, int a_type, int lda, const void *b, int b_type, int ldb, const float *beta,
                        float *c, int c_type, int ldc, int compute, int algorithm) {
  if (handle->mode != 0 || c_type != 0 || compute != 68 || algorithm != -1 || a_type != b_type) return 15;
  if (a_type != 2 && a_type != 14) return 15;
  return launch(handle->stream, product(transa == 1, transb == 1, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc,
                                        a_type == 2 ? libsgemm::Type::f16 : libsgemm::Type::bf16));
}

namespace {

int launch_strided(const BlasHandle *handle, GemmDesc desc, long long stride_a, long long stride_b, long long stride_c,
                   int count) {
  desc.batch = libsgemm::Batch::strided;
  desc.batch_count = count;
  desc.stride_a = stride_a;
  desc.stride_b = stride_b;
  desc.stride_c = stride_c;
  return launch(handle->stream, desc);
}

}  // namespace

EXPORT int cublasSgemmStridedBatched(BlasHandle *handle, int transa, int transb, int m, int n, int k,
                                     const float *alpha, const float *a, int lda, long long stride_a, const float *b,
                                     int ldb, long long stride_b, const float *beta, float *c, int ldc,
                                     long long stride_c, int count) {
  return launch_strided(handle, product(transa == 1, transb == 1, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc),
                        stride_a, stride_b, stride_c, count);
}
EXPORT int cublasGemmStridedBatchedEx(BlasHandle *handle, int transa, int transb, int m, int n, int k,
                                      const float *alpha, const void *a, int a_type, int lda, long long stride_a,
                                      const void *b, int b_type, int ldb, long long stride_b, const float *beta,
                                      float *c, int c_type, int ldc, long long stride_c, int count, int compute,
                                      int algorithm) {
  if (handle->mode != 0 || c_type != 0 || compute != 68 || algorithm != -1 || a_type != b_type) return 15;
  if (a_type != 2 && a_type != 14) return 15;
  return launch_strided(handle,
                        product(transa == 1, transb == 1, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc,
                                a_type == 2 ? libsgemm::Type::f16 : libsgemm::Type::bf16),
                        stride_a, stride_b, stride_c, count);
}

// One launch a group; pointer arrays in device memory.
EXPORT int cublasSgemmGroupedBatched(BlasHandle *handle, const int *transa, const int *transb, const int *m,
                                     const int *n, const int *k, const float *alpha, const float *const *a,
                                     const int *lda, const float *const *b, const int *ldb, const float *beta,
                                     float *const *c, const int *ldc, int count, const int *sizes) {
  for (int g = 0; g < count; ++g) {
    GemmDesc desc = product(transa[g] == 1, transb[g] == 1, m[g], n[g], k[g], alpha[g], nullptr, lda[g], nullptr,
                            ldb[g], beta[g], nullptr, ldc[g]);
    desc.batch = libsgemm::Batch::pointers;
    desc.batch_count = sizes[g];
    desc.a_array = reinterpret_cast<const void *const *>(a);
    desc.b_array = reinterpret_cast<const void *const *>(b);
    desc.c_array = c;
    const int status = launch(handle->stream, desc);
    if (status != kSuccess) return status;
    a += sizes[g], b += sizes[g], c += sizes[g];
  }
  return kSuccess;
}

EXPORT int cublasGemmGroupedBatchedEx(BlasHandle *handle, const int *transa, const int *transb, const int *m,
                                      const int *n, const int *k, const float *alpha, const void *const *a, int a_type,
                                      const int *lda, const void *const *b, int b_type, const int *ldb,
                                      const float *beta, float *const *c, int c_type, const int *ldc, int count,
                                      const int *sizes, int compute) {
  if (handle->mode != 0 || c_type != 0 || compute != 68 || a_type != b_type) return 15;
  if (a_type != 2 && a_type != 14) return 15;
  for (int g = 0; g < count; ++g) {
    GemmDesc desc = product(transa[g] == 1, transb[g] == 1, m[g], n[g], k[g], alpha[g], nullptr, lda[g], nullptr,
                            ldb[g], beta[g], nullptr, ldc[g], a_type == 2 ? libsgemm::Type::f16 : libsgemm::Type::bf16);
    desc.batch = libsgemm::Batch::pointers;
    desc.batch_count = sizes[g];
    desc.a_array = a, desc.b_array = b, desc.c_array = c;
    const int status = launch(handle->stream, desc);
    if (status != kSuccess) return status;
    a += sizes[g], b += sizes[g], c += sizes[g];
  }
  return kSuccess;
}

namespace {

using libsgemm::Routine;

// cuBLAS's numbers of sides and triangles: 0 is left, lower. Wrong sizes are refused.
struct Call {
  int side, uplo, trans, m, n, k, lda, ldb, ldc;
};
int launch(const BlasHandle *handle, Routine routine, const Call &x, float alpha, const void *a, const void *b,
           float beta, float *c, const void *const *a_array = nullptr, float *const *c_array = nullptr, int count = 1) {
  GemmDesc desc = product(x.trans == 1, false, x.m, x.n, x.k, alpha, a, x.lda, b, x.ldb, beta, c, x.ldc);
  desc.routine = routine;
  desc.side = x.side == 0 ? LIBSGEMM_LEFT : LIBSGEMM_RIGHT;
  desc.uplo = x.uplo == 0 ? LIBSGEMM_LOWER : LIBSGEMM_UPPER;
  if (x.lda < libsgemm::stored_a(desc).rows || x.ldb < libsgemm::stored_b(desc).rows || x.ldc < x.m) return 7;
  if (count > 1) {
    desc.batch = libsgemm::Batch::pointers;
    desc.batch_count = count;
    desc.a_array = a_array;
    desc.c_array = c_array;
  }
  return launch(handle->stream, desc);
}

}  // namespace

EXPORT int cublasSsymm_v2(BlasHandle *handle, int side, int uplo, int m, int n, const float *alpha, const float *a,
                          int lda, const float *b, int ldb, const float *beta, float *c, int ldc) {
  return launch(handle, Routine::symm, {side, uplo, 0, m, n, side == 0 ? m : n, lda, ldb, ldc}, *alpha, a, b, *beta, c);
}
EXPORT int cublasSsyrk_v2(BlasHandle *handle, int uplo, int trans, int n, int k, const float *alpha, const float *a,
                          int lda, const float *beta, float *c, int ldc) {
  return launch(handle, Routine::syrk, {0, uplo, trans, n, n, k, lda, 0, ldc}, *alpha, a, nullptr, *beta, c);
}
EXPORT int cublasSsyr2k_v2(BlasHandle *handle, int uplo, int trans, int n, int k, const float *alpha, const float *a,
                           int lda, const float *b, int ldb, const float *beta, float *c, int ldc) {
  return launch(handle, Routine::syr2k, {0, uplo, trans, n, n, k, lda, ldb, ldc}, *alpha, a, b, *beta, c);
}
// Refuses TRMM in place: it is slower, and no program should use it.
EXPORT int cublasStrmm_v2(BlasHandle *handle, int side, int uplo, int trans, int diag, int m, int n, const float *alpha,
                          const float *a, int lda, const float *b, int ldb, float *c, int ldc) {
  if (diag != 0 || ldb < m || b == c) return 7;
  for (int j = 0; j < n; ++j) {
    plugin().control->enqueue_copy(handle->stream, c + static_cast<int64_t>(j) * ldc, b + static_cast<int64_t>(j) * ldb,
                                   static_cast<size_t>(m) * sizeof *c);
  }
  return launch(handle, Routine::trmm, {side, uplo, trans, m, n, side == 0 ? m : n, lda, 0, ldc}, *alpha, a, nullptr, 0,
                c);
}
EXPORT int cublasStrsm_v2(BlasHandle *handle, int side, int uplo, int trans, int diag, int m, int n, const float *alpha,
                          const float *a, int lda, float *b, int ldb) {
  if (diag != 0) return 7;
  return launch(handle, Routine::trsm, {side, uplo, trans, m, n, side == 0 ? m : n, lda, 0, ldb}, *alpha, a, nullptr, 1,
                b);
}
EXPORT int cublasStrsmBatched(BlasHandle *handle, int side, int uplo, int trans, int diag, int m, int n,
                              const float *alpha, const void *const *a, int lda, float *const *b, int ldb, int count) {
  if (diag != 0) return 7;
  return launch(handle, Routine::trsm, {side, uplo, trans, m, n, side == 0 ? m : n, lda, 0, ldb}, *alpha, nullptr,
                nullptr, 1, nullptr, a, b, count);
}

EXPORT int cublasLtGetProperty(int which, int *value) { return cublasGetProperty(which, value); }

// ---- Called by programs, not by the bench (tests/gpu_blas/cublas_client.cpp) ---------------------------------------

EXPORT int cublasGetStream_v2(const BlasHandle *handle, void **stream) {
  return handle == nullptr ? 1 : (*stream = handle->stream, kSuccess);
}
EXPORT int cublasGetMathMode(const BlasHandle *handle, int *mode) {
  return handle == nullptr ? 1 : (*mode = handle->mode, kSuccess);
}
EXPORT int cublasGetAtomicsMode(const BlasHandle *handle, int *mode) {
  return handle == nullptr ? 1 : (*mode = handle->atomics_mode, kSuccess);
}
EXPORT int cublasSetAtomicsMode(BlasHandle *handle, int mode) { return handle->atomics_mode = mode, kSuccess; }
EXPORT int cublasGetPointerMode_v2(const BlasHandle *handle, int *mode) {
  return handle == nullptr ? 1 : (*mode = handle->pointer_mode, kSuccess);
}
EXPORT int cublasSetPointerMode_v2(BlasHandle *handle, int mode) { return handle->pointer_mode = mode, kSuccess; }
// The only function that takes scalars on the device.
EXPORT int cublasSgemmEx(const BlasHandle *handle, int transa, int transb, int m, int n, int k, const float *alpha,
                         const float *a, int a_type, int lda, const float *b, int b_type, int ldb, const float *beta,
                         float *c, int c_type, int ldc) {
  if (a_type != 0 || b_type != 0 || c_type != 0) return 15;
  float scalars[2] = {1, 0};
  plugin().control->read(alpha, &scalars[0], sizeof(float));
  plugin().control->read(beta, &scalars[1], sizeof(float));
  return multiply(handle->stream, transa == 1, transb == 1, m, n, k, scalars[0], a, lda, b, ldb, scalars[1], c, ldc);
}
EXPORT int cublasSgeam(BlasHandle *handle, int, int, int m, int n, const float *, const float *a, int lda,
                       const float *, const float *, int, float *c, int ldc) {
  for (int j = 0; j < n; ++j) {
    plugin().control->enqueue_copy(handle->stream, c + static_cast<int64_t>(j) * ldc, a + static_cast<int64_t>(j) * lda,
                                   static_cast<size_t>(m) * sizeof *c);
  }
  return kSuccess;
}
EXPORT int cublasLtMatmulDescGetAttribute(const Descriptor *descriptor, int which, void *value, size_t bytes,
                                          size_t *) {
  if (which == 8 && bytes == sizeof descriptor->bias) return memcpy(value, &descriptor->bias, bytes), kSuccess;
  if (which < 0 || which >= 8 || bytes != sizeof(int32_t)) return 7;
  // Defaults for attributes that the bench does not set: fill mode and epilogue are not 0.
  const int32_t defaults[8] = {kCompute32F, 0, 0, 0, 0, 0, 2, 1};
  const int32_t set = descriptor->attributes[which];
  return memcpy(value, set != 0 ? &set : &defaults[which], bytes), kSuccess;
}
// Type, order, rows, columns, leading dimension, batch size, stride.
EXPORT int cublasLtMatrixLayoutGetAttribute(const Descriptor *layout, int which, void *value, size_t bytes, size_t *) {
  const int64_t values[8] = {
      0, 0, static_cast<int64_t>(layout->rows), static_cast<int64_t>(layout->columns), layout->ld, 1, 0, 0};
  if (which < 0 || which >= 8) return 7;
  return memcpy(value, &values[which], bytes), kSuccess;
}

EXPORT int nvmlInit_v2() { return kSuccess; }
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *, void **device) { return *device = &*device, kSuccess; }
EXPORT int nvmlSystemGetDriverVersion(char *version, unsigned length) {
  return snprintf(version, length, "580.1"), kSuccess;
}
EXPORT int nvmlDeviceGetClockInfo(void *, int which, unsigned *mhz) { return *mhz = which == 1 ? 1980 : 0, kSuccess; }
EXPORT int nvmlDeviceGetPowerUsage(void *, unsigned *milliwatts) { return *milliwatts = 456000, kSuccess; }
EXPORT int nvmlDeviceGetTemperature(void *, int, unsigned *celsius) { return *celsius = 55, kSuccess; }
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void *, unsigned long long *reasons) {
  return *reasons = 4, kSuccess;
}

#include "mock_cudnn.h"

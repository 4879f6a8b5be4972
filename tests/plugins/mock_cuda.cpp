// The driver of an NVIDIA GPU that is not there, with cuBLAS, cublasLt and the management library, for the bench: one
// library under four names (mock_stack.h). MOCK_CUDA asks for a fault.
#include <cstddef>
#include <cstdint>

namespace {

constexpr const char *kBackend = "cuda", *kFaults = "MOCK_CUDA", *kCode = ".version ";
constexpr int kCompute32F = 68, kTrans = 1, kTransa = 3, kTransb = 4, kAlgorithmWords = 8;

}  // namespace

#define MOCK_SYMBOL(cuda, hip) cuda
#include "mock_stack.h"

// ---- The driver -----------------------------------------------------------------------------------------------------

EXPORT int cuDeviceGetAttribute(int *value, int which, int) {
  switch (which) {
    case 16:
      return *value = 4, kSuccess;
    case 38:
      return *value = 1 << 16, kSuccess;
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
EXPORT int cuDriverGetVersion(int *version) { return *version = 13000, kSuccess; }

// ---- cuBLAS ---------------------------------------------------------------------------------------------------------

EXPORT int cublasCreate_v2(BlasHandle **handle) { return *handle = new BlasHandle{nullptr, 0}, kSuccess; }
EXPORT int cublasDestroy_v2(BlasHandle *handle) { return delete handle, kSuccess; }
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
  return multiply(handle->stream, transa == 1, transb == 1, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}
// For operands in host memory.
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
// Of 16-bit inputs, with FP32 sums and output; pedantic math would keep them off the tensor cores.
EXPORT int cublasGemmEx(BlasHandle *handle, int transa, int transb, int m, int n, int k, const float *alpha,
                        const void *a, int a_type, int lda, const void *b, int b_type, int ldb, const float *beta,
                        float *c, int c_type, int ldc, int compute, int algorithm) {
  if (handle->mode != 0 || c_type != 0 || compute != 68 || algorithm != -1 || a_type != b_type) return 15;
  if (a_type != 2 && a_type != 14) return 15;
  return multiply(handle->stream, transa == 1, transb == 1, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc,
                  a_type == 2 ? libsgemm::Type::f16 : libsgemm::Type::bf16);
}

EXPORT int cublasLtGetProperty(int which, int *value) { return cublasGetProperty(which, value); }

// ---- The management library -----------------------------------------------------------------------------------------

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

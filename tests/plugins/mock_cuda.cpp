// The driver of a GPU that is not there, with cuBLAS, cublasLt and the management library, for the bench: one library
// under four names. Memory and streams are those of the mock plugin (mock.cpp), which does the work too; events take
// the time of the CPU when the work before them is done.
//
// MOCK_CUDA: "no_device": the driver starts with an error; "small": it has little memory; "wrong": products of cuBLAS
// and cublasLt have a wrong element.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <array>
#include <string>

#include "backend.h"
#include "mock.h"

namespace {

using libsgemm::Backend;
using libsgemm::GemmDesc;

constexpr int kSuccess = 0, kOutOfMemory = 2, kNoDevice = 100;
constexpr size_t kSmall = size_t{40} << 20;  // a workspace of cuBLAS, and little besides

struct Event {
  double seconds;
};

struct Plugin {
  const Backend *backend;
  mock::Control *control;
};

// The instance that libsgemm has loaded or will load.
const Plugin &plugin() {
  static const Plugin found = [] {
    const std::string file = std::string(getenv("LIBSGEMM_BACKEND_PATH")) + "/libsgemm_cuda.so";
    void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto table = reinterpret_cast<libsgemm::BackendEntry>(dlsym(library, libsgemm::kBackendEntry));
    const auto control = reinterpret_cast<mock::ControlEntry>(dlsym(library, mock::kControlSymbol));
    return Plugin{table(), control()};
  }();
  return found;
}

bool asked_for(const char *fault) {
  const char *value = getenv("MOCK_CUDA");
  return value != nullptr && strcmp(value, fault) == 0;
}

int synchronize(void *stream) {
  libsgemm::Error error;
  return plugin().backend->synchronize(0, stream, &error) == LIBSGEMM_SUCCESS ? kSuccess : 999;
}

// By the plugin's second kernel, which needs no workspace.
int multiply(void *stream, bool transa, bool transb, int64_t m, int64_t n, int64_t k, float alpha, const float *a,
             int64_t lda, const float *b, int64_t ldb, float beta, float *c, int64_t ldc) {
  GemmDesc desc = {};
  desc.transa = transa ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  desc.transb = transb ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  desc.side = LIBSGEMM_LEFT;
  desc.uplo = LIBSGEMM_UPPER;
  desc.diag = LIBSGEMM_NON_UNIT;
  desc.m = m;
  desc.n = n;
  desc.k = k;
  desc.alpha = alpha;
  desc.beta = beta;
  desc.a = a;
  desc.b = b;
  desc.c = c;
  desc.lda = lda;
  desc.ldb = ldb;
  desc.ldc = ldc;
  desc.batch_count = 1;
  libsgemm::Launch launch = {};
  launch.stream = stream;
  libsgemm::Error error;
  if (plugin().backend->kernels[1].launch(desc, launch, &error) != LIBSGEMM_SUCCESS) return 13;
  if (asked_for("wrong")) {
    synchronize(stream);
    const float wrong = 1e6f;
    plugin().control->write(c + (m - 1) + (n - 1) * ldc, &wrong, sizeof wrong);
  }
  return kSuccess;
}

struct Cublas {
  void *stream;
};

// What a descriptor of cublasLt says, of whatever kind.
struct Descriptor {
  int32_t attributes[8];
  uint64_t rows, columns;
  int64_t ld;
};

}  // namespace

#define EXPORT extern "C" LIBSGEMM_API

// ---- The driver -----------------------------------------------------------------------------------------------------

EXPORT int cuInit(unsigned) { return asked_for("no_device") ? kNoDevice : kSuccess; }
EXPORT int cuDriverGetVersion(int *version) { return *version = 13000, kSuccess; }
EXPORT int cuDeviceGetCount(int *count) { return *count = 1, kSuccess; }
EXPORT int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, kSuccess; }
EXPORT int cuDeviceGetName(char *name, int length, int) { return snprintf(name, size_t(length), "Mock GPU"), kSuccess; }
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
EXPORT int cuDeviceGetPCIBusId(char *id, int length, int) {
  return snprintf(id, size_t(length), "0000:00:00.0"), kSuccess;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int) { return *context = nullptr, kSuccess; }
EXPORT int cuCtxSetCurrent(void *) { return kSuccess; }
EXPORT int cuMemAlloc_v2(unsigned long long *memory, size_t bytes) {
  const size_t used = static_cast<size_t>(plugin().control->bytes.load());
  if (asked_for("small") && used + bytes > kSmall) return kOutOfMemory;
  *memory = reinterpret_cast<unsigned long long>(plugin().control->allocate(0, bytes));
  return *memory != 0 ? kSuccess : kOutOfMemory;
}
EXPORT int cuMemFree_v2(unsigned long long memory) {
  return plugin().control->release(0, reinterpret_cast<void *>(memory)), kSuccess;
}
EXPORT int cuMemAllocHost_v2(void **memory, size_t bytes) { return *memory = malloc(bytes), kSuccess; }
EXPORT int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes, void *stream) {
  synchronize(stream);
  return plugin().control->write(reinterpret_cast<void *>(to), from, bytes), kSuccess;
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *stream) {
  synchronize(stream);
  return plugin().control->read(reinterpret_cast<const void *>(from), to, bytes), kSuccess;
}
EXPORT int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void *stream) {
  std::string between(bytes, '\0');
  cuMemcpyDtoHAsync_v2(&between[0], from, bytes, stream);
  return cuMemcpyHtoDAsync_v2(to, between.data(), bytes, stream);
}
EXPORT int cuMemsetD32Async(unsigned long long to, unsigned value, size_t count, void *stream) {
  for (size_t i = 0; i < count; ++i) cuMemcpyHtoDAsync_v2(to + i * sizeof value, &value, sizeof value, stream);
  return kSuccess;
}
EXPORT int cuStreamCreate(void **stream, unsigned) { return *stream = plugin().control->stream(0), kSuccess; }
EXPORT int cuStreamSynchronize(void *stream) { return synchronize(stream); }
EXPORT int cuEventCreate(Event **event, unsigned) { return *event = new Event{0}, kSuccess; }
EXPORT int cuEventRecord(Event *event, void *stream) {
  const int result = synchronize(stream);
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  event->seconds = static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  return result;
}
// Work before it is never seen to be done.
EXPORT int cuEventQuery(Event *) { return 600; }
EXPORT int cuEventSynchronize(Event *) { return kSuccess; }
EXPORT int cuEventElapsedTime(float *milliseconds, const Event *start, const Event *stop) {
  return *milliseconds = static_cast<float>(1e3 * (stop->seconds - start->seconds)), kSuccess;
}
EXPORT int cuModuleLoadData(void **module, const void *image) {
  *module = nullptr;
  return strncmp(static_cast<const char *>(image), ".version ", 9) == 0 ? kSuccess : 218;
}
EXPORT int cuModuleGetFunction(void **function, void *, const char *name) {
  *function = nullptr;
  return strcmp(name, "hold") == 0 || strcmp(name, "ffma") == 0 ? kSuccess : 500;
}
EXPORT int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                          void **) {
  return kSuccess;
}
EXPORT int cuGetErrorName(int error, const char **name) {
  return *name = error == kNoDevice ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_UNKNOWN", kSuccess;
}
EXPORT int cuGetErrorString(int error, const char **text) {
  return *text = error == kNoDevice ? "no CUDA-capable device is detected" : "unknown error", kSuccess;
}

// ---- cuBLAS ---------------------------------------------------------------------------------------------------------

EXPORT int cublasCreate_v2(Cublas **handle) { return *handle = new Cublas{nullptr}, kSuccess; }
EXPORT int cublasDestroy_v2(Cublas *handle) { return delete handle, kSuccess; }
EXPORT int cublasSetStream_v2(Cublas *handle, void *stream) { return handle->stream = stream, kSuccess; }
EXPORT int cublasSetWorkspace_v2(Cublas *, void *workspace, size_t bytes) {
  return workspace != nullptr && bytes > 0 ? kSuccess : 7;
}
EXPORT int cublasSetMathMode(Cublas *, int mode) { return mode == 0 || mode == 2 ? kSuccess : 7; }
EXPORT int cublasGetProperty(int which, int *value) { return *value = 13 - which, kSuccess; }
EXPORT int cublasSgemm_v2(Cublas *handle, int transa, int transb, int m, int n, int k, const float *alpha,
                          const float *a, int lda, const float *b, int ldb, const float *beta, float *c, int ldc) {
  return multiply(handle->stream, transa == 1, transb == 1, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}

// ---- cublasLt: three algorithms, of which the first is refused ------------------------------------------------------

struct Algorithm {
  uint64_t data[8];
};

struct Heuristic {
  Algorithm algorithm;
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

EXPORT int cublasLtCreate(void **handle) { return *handle = nullptr, kSuccess; }
EXPORT int cublasLtDestroy(void *) { return kSuccess; }
EXPORT int cublasLtMatmulDescDestroy(Descriptor *descriptor) { return delete descriptor, kSuccess; }
EXPORT int cublasLtMatrixLayoutDestroy(Descriptor *layout) { return delete layout, kSuccess; }
EXPORT int cublasLtMatmulPreferenceDestroy(Descriptor *preference) { return delete preference, kSuccess; }
EXPORT int cublasLtGetProperty(int which, int *value) { return cublasGetProperty(which, value); }
EXPORT int cublasLtMatmulDescCreate(Descriptor **descriptor, int compute, int type) {
  *descriptor = new Descriptor();
  return compute == 68 && type == 0 ? kSuccess : 7;
}
EXPORT int cublasLtMatmulDescSetAttribute(Descriptor *descriptor, int which, const void *value, size_t bytes) {
  if (which < 0 || which >= 8 || bytes != sizeof(int32_t)) return 7;
  return memcpy(&descriptor->attributes[which], value, bytes), kSuccess;
}
EXPORT int cublasLtMatrixLayoutCreate(Descriptor **layout, int, uint64_t rows, uint64_t columns, int64_t ld) {
  return *layout = new Descriptor{{}, rows, columns, ld}, kSuccess;
}
EXPORT int cublasLtMatmulPreferenceCreate(Descriptor **preference) { return *preference = new Descriptor(), kSuccess; }
EXPORT int cublasLtMatmulPreferenceSetAttribute(Descriptor *, int which, const void *, size_t bytes) {
  return which == 1 && bytes == sizeof(uint64_t) ? kSuccess : 7;
}
EXPORT int cublasLtMatmulAlgoGetHeuristic(void *, Descriptor *, Descriptor *, Descriptor *, Descriptor *, Descriptor *,
                                          Descriptor *, int wanted, Heuristic *found, int *count) {
  *count = wanted < 3 ? wanted : 3;
  for (int i = 0; i < *count; ++i) found[i] = {{{static_cast<uint64_t>(i)}}, 0, kSuccess, 1, {}};
  return kSuccess;
}
EXPORT int cublasLtMatmul(void *, const Descriptor *descriptor, const float *alpha, const float *a,
                          const Descriptor *a_layout, const float *b, const Descriptor *b_layout, const float *beta,
                          const float *, const Descriptor *, float *c, const Descriptor *c_layout,
                          const Algorithm *algorithm, void *, size_t, void *stream) {
  if (algorithm->data[0] == 0) return 15;
  const bool transa = descriptor->attributes[3] == 1, transb = descriptor->attributes[4] == 1;
  const uint64_t inner = transa ? a_layout->rows : a_layout->columns;
  return multiply(stream, transa, transb, static_cast<int64_t>(c_layout->rows), static_cast<int64_t>(c_layout->columns),
                  static_cast<int64_t>(inner), *alpha, a, a_layout->ld, b, b_layout->ld, *beta, c, c_layout->ld);
}

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

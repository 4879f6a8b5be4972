// Calls of the driver or runtime, and of cublasLt or hipBLASLt, that differ in name only between mock_cuda.cpp and
// mock_hip.cpp. Memory, streams and work are the mock plugin's (mock.cpp). An event takes the CPU's time when the work
// before it is done.
//
// The including file defines MOCK_SYMBOL(cuda, hip), which selects a name, and before that
//   kBackend, kFaults                       the plugin's name; the variable that selects a fault:
//                                           "no_device": error at start; "small": little memory;
//                                           "wrong": peers' products have a wrong element; "hours": an hour between
//                                           events; "reset": no context at the end; "no_record": no event can be
//                                           recorded
//   kCode                                   start of a module's code
//   kCompute32F, kTrans, kTransa, kTransb, kAlgorithmWords    of cublasLt or hipBLASLt
#pragma once

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "contract/backend.h"
#include "mock.h"

namespace {

using libsgemm::Backend;
using libsgemm::GemmDesc;

constexpr int kSuccess = 0, kOutOfMemory = 2, kNoDevice = 100;
constexpr size_t kSmall = size_t{40} << 20;  // a peer's workspace and little more

struct Event {
  double seconds;
};

struct Plugin {
  const Backend *backend;
  mock::Control *control;
};

// The instance that libsgemm loads.
const Plugin &plugin() {
  static const Plugin found = [] {
    const std::string file = std::string(getenv("LIBSGEMM_BACKEND_PATH")) + "/libsgemm_" + kBackend + ".so";
    void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto table = reinterpret_cast<libsgemm::BackendEntry>(dlsym(library, libsgemm::kBackendEntry));
    const auto control = reinterpret_cast<mock::ControlEntry>(dlsym(library, mock::kControlSymbol));
    return Plugin{table(), control()};
  }();
  return found;
}

bool asked_for(const char *fault) {
  const char *value = getenv(kFaults);
  return value != nullptr && strcmp(value, fault) == 0;
}

int device_of(void *stream) { return plugin().backend->stream_device(stream); }

int synchronize(void *stream) {
  libsgemm::Error error;
  return plugin().backend->synchronize(device_of(stream), stream, &error) == LIBSGEMM_SUCCESS ? kSuccess : 999;
}

// The plugin's second kernel needs no workspace and takes any description.
int launch(void *stream, const GemmDesc &desc) {
  libsgemm::Launch launch = {};
  launch.device = device_of(stream);
  launch.stream = stream;
  launch.arrays_on_device = desc.batch == libsgemm::Batch::pointers;
  libsgemm::Error error;
  if (plugin().backend->kernels[1].launch(desc, launch, &error) != LIBSGEMM_SUCCESS) return 13;
  if (asked_for("wrong")) {
    synchronize(stream);
    const float wrong = 1e6f;
    float *c = desc.c;
    if (desc.batch == libsgemm::Batch::pointers) plugin().control->read(desc.c_array, &c, sizeof c);
    plugin().control->write(c + (desc.m - 1) + (desc.n - 1) * desc.ldc, &wrong, sizeof wrong);
  }
  return kSuccess;
}

GemmDesc product(bool transa, bool transb, int64_t m, int64_t n, int64_t k, float alpha, const void *a, int64_t lda,
                 const void *b, int64_t ldb, float beta, float *c, int64_t ldc,
                 libsgemm::Type type = libsgemm::Type::f32) {
  GemmDesc desc = {};
  desc.type = type;
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
  return desc;
}
int multiply(void *stream, bool transa, bool transb, int64_t m, int64_t n, int64_t k, float alpha, const void *a,
             int64_t lda, const void *b, int64_t ldb, float beta, float *c, int64_t ldc) {
  return launch(stream, product(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc));
}

struct BlasHandle {
  void *stream;
  int mode;
  int pointer_mode = 0;
  int atomics_mode = 1;  // allowed, as by rocBLAS's default, unlike cuBLAS's
  bool queries = false;  // rocBLAS: calls only report memory sizes
};

// A new handle reuses the address of the last one destroyed.
std::mutex g_handles;
std::vector<BlasHandle *> &g_destroyed = *new std::vector<BlasHandle *>;
[[maybe_unused]] int create_handle(BlasHandle **handle) {
  const std::lock_guard<std::mutex> lock(g_handles);
  if (g_destroyed.empty()) g_destroyed.push_back(new BlasHandle);
  *handle = g_destroyed.back();
  g_destroyed.pop_back();
  **handle = BlasHandle{nullptr, 0};
  return kSuccess;
}
[[maybe_unused]] int destroy_handle(BlasHandle *handle) {
  const std::lock_guard<std::mutex> lock(g_handles);
  return g_destroyed.push_back(handle), kSuccess;
}

struct Descriptor {
  int32_t attributes[8];
  uint64_t rows, columns;
  int64_t ld;
  const float *bias;
};

}  // namespace

#define EXPORT extern "C" LIBSGEMM_API

EXPORT int MOCK_SYMBOL(cuInit, hipInit)(unsigned) { return asked_for("no_device") ? kNoDevice : kSuccess; }
EXPORT int MOCK_SYMBOL(cuDeviceGetCount, hipGetDeviceCount)(int *count) { return *count = 1, kSuccess; }
EXPORT int MOCK_SYMBOL(cuDeviceGet, hipDeviceGet)(int *device, int ordinal) { return *device = ordinal, kSuccess; }
EXPORT int MOCK_SYMBOL(cuDeviceGetName, hipDeviceGetName)(char *name, int length, int) {
  return snprintf(name, size_t(length), "Mock GPU"), kSuccess;
}
// "sensors=PATH" sets the device's folder in /sys.
EXPORT int MOCK_SYMBOL(cuDeviceGetPCIBusId, hipDeviceGetPCIBusId)(char *id, int length, int) {
  const char *value = getenv(kFaults);
  const bool elsewhere = value != nullptr && strncmp(value, "sensors=", 8) == 0;
  snprintf(id, size_t(length), "%s%s", elsewhere ? "../../../.." : "0000:00:00.0", elsewhere ? value + 8 : "");
  return kSuccess;
}
EXPORT int MOCK_SYMBOL(cuMemAlloc_v2, hipMalloc)(void **memory, size_t bytes) {
  const size_t used = static_cast<size_t>(plugin().control->bytes.load());
  if (asked_for("small") && used + bytes > kSmall) return kOutOfMemory;
  *memory = plugin().control->allocate(0, bytes);
  return *memory != nullptr ? kSuccess : kOutOfMemory;
}
EXPORT int MOCK_SYMBOL(cuMemFree_v2, hipFree)(void *memory) { return plugin().control->release(0, memory), kSuccess; }
EXPORT int MOCK_SYMBOL(cuMemHostAlloc, hipHostMalloc)(void **memory, size_t bytes, unsigned) {
  return *memory = plugin().control->allocate_pinned(bytes), kSuccess;
}
EXPORT int MOCK_SYMBOL(cuMemFreeHost, hipHostFree)(void *memory) {
  return plugin().control->release_pinned(memory), kSuccess;
}
EXPORT int MOCK_SYMBOL(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync)(void *to, const void *from, size_t bytes,
                                                                 void *stream) {
  synchronize(stream);
  return plugin().control->write(to, from, bytes), kSuccess;
}
EXPORT int MOCK_SYMBOL(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync)(void *to, const void *from, size_t bytes,
                                                                 void *stream) {
  synchronize(stream);
  return plugin().control->read(from, to, bytes), kSuccess;
}
EXPORT int MOCK_SYMBOL(cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync)(void *to, const void *from, size_t bytes,
                                                                 void *stream) {
  synchronize(stream);
  std::string between(bytes, '\0');
  plugin().control->read(from, &between[0], bytes);
  return plugin().control->write(to, between.data(), bytes), kSuccess;
}
EXPORT int MOCK_SYMBOL(cuMemsetD32Async, hipMemsetD32Async)(void *to, unsigned value, size_t count, void *stream) {
  synchronize(stream);
  const std::vector<unsigned> values(count, value);
  return plugin().control->write(to, values.data(), count * sizeof value), kSuccess;
}
EXPORT int MOCK_SYMBOL(cuStreamCreate, hipStreamCreateWithFlags)(void **stream, unsigned) {
  return *stream = plugin().control->stream(0), kSuccess;
}
EXPORT int MOCK_SYMBOL(cuStreamSynchronize, hipStreamSynchronize)(void *stream) { return synchronize(stream); }
std::atomic<int> g_events{0};
EXPORT int mock_events() { return g_events; }
EXPORT int MOCK_SYMBOL(cuEventCreate, hipEventCreateWithFlags)(Event **event, unsigned) {
  ++g_events;
  return *event = new Event{0}, kSuccess;
}
EXPORT int MOCK_SYMBOL(cuEventRecord, hipEventRecord)(Event *event, void *stream) {
  if (asked_for("no_record")) return 400;
  const int result = synchronize(stream);
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  event->seconds = static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  return result;
}
// A query always finds the earlier work undone.
EXPORT int MOCK_SYMBOL(cuEventQuery, hipEventQuery)(Event *) { return 600; }
EXPORT int MOCK_SYMBOL(cuEventSynchronize, hipEventSynchronize)(Event *) { return kSuccess; }
EXPORT int MOCK_SYMBOL(cuEventElapsedTime, hipEventElapsedTime)(float *milliseconds, const Event *start,
                                                                const Event *stop) {
  const float hours = asked_for("hours") ? 3.6e6f : 0;
  return *milliseconds = hours + static_cast<float>(1e3 * (stop->seconds - start->seconds)), kSuccess;
}
// A module is its text; functions are the names in it.
EXPORT int MOCK_SYMBOL(cuModuleLoadData, hipModuleLoadData)(const std::string **module, const void *image) {
  static std::deque<std::string> modules;
  modules.emplace_back(static_cast<const char *>(image));
  *module = &modules.back();
  return modules.back().compare(0, strlen(kCode), kCode) == 0 ? kSuccess : 218;
}
EXPORT int MOCK_SYMBOL(cuModuleGetFunction, hipModuleGetFunction)(void **function, const std::string *module,
                                                                  const char *name) {
  *function = nullptr;
  return module->find(name) != std::string::npos ? kSuccess : 500;
}
EXPORT int MOCK_SYMBOL(cuLaunchKernel, hipModuleLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                                                              unsigned, unsigned, void *, void **, void **) {
  return kSuccess;
}

// ---- cublasLt or hipBLASLt: three algorithms; the first is refused -------------------------------------------------

struct Algorithm {
  uint64_t data[kAlgorithmWords];
};

struct Heuristic {
  Algorithm algorithm;
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

EXPORT int MOCK_SYMBOL(cublasLtCreate, hipblasLtCreate)(void **handle) { return *handle = nullptr, kSuccess; }
EXPORT int MOCK_SYMBOL(cublasLtDestroy, hipblasLtDestroy)(void *) { return kSuccess; }
EXPORT int MOCK_SYMBOL(cublasLtMatmulDescDestroy, hipblasLtMatmulDescDestroy)(Descriptor *descriptor) {
  return delete descriptor, kSuccess;
}
EXPORT int MOCK_SYMBOL(cublasLtMatrixLayoutDestroy, hipblasLtMatrixLayoutDestroy)(Descriptor *layout) {
  return delete layout, kSuccess;
}
EXPORT int MOCK_SYMBOL(cublasLtMatmulPreferenceDestroy, hipblasLtMatmulPreferenceDestroy)(Descriptor *preference) {
  return delete preference, kSuccess;
}
EXPORT int MOCK_SYMBOL(cublasLtMatmulDescCreate, hipblasLtMatmulDescCreate)(Descriptor **descriptor, int compute,
                                                                            int type) {
  *descriptor = new Descriptor();
  return compute == kCompute32F && type == 0 ? kSuccess : 7;
}
EXPORT int MOCK_SYMBOL(cublasLtMatmulDescSetAttribute, hipblasLtMatmulDescSetAttribute)(Descriptor *descriptor,
                                                                                        int which, const void *value,
                                                                                        size_t bytes) {
  if (which == 8 && bytes == sizeof descriptor->bias) return memcpy(&descriptor->bias, value, bytes), kSuccess;
  if (which < 0 || which >= 8 || bytes != sizeof(int32_t)) return 7;
  return memcpy(&descriptor->attributes[which], value, bytes), kSuccess;
}
EXPORT int MOCK_SYMBOL(cublasLtMatrixLayoutCreate, hipblasLtMatrixLayoutCreate)(Descriptor **layout, int, uint64_t rows,
                                                                                uint64_t columns, int64_t ld) {
  return *layout = new Descriptor{{}, rows, columns, ld, nullptr}, kSuccess;
}
EXPORT int MOCK_SYMBOL(cublasLtMatmulPreferenceCreate, hipblasLtMatmulPreferenceCreate)(Descriptor **preference) {
  return *preference = new Descriptor(), kSuccess;
}
EXPORT int MOCK_SYMBOL(cublasLtMatmulPreferenceSetAttribute,
                       hipblasLtMatmulPreferenceSetAttribute)(Descriptor *, int which, const void *, size_t bytes) {
  return which == 1 && bytes == sizeof(uint64_t) ? kSuccess : 7;
}
EXPORT int MOCK_SYMBOL(cublasLtMatmulAlgoGetHeuristic,
                       hipblasLtMatmulAlgoGetHeuristic)(void *, Descriptor *, Descriptor *, Descriptor *, Descriptor *,
                                                        Descriptor *, Descriptor *, int wanted, Heuristic *found,
                                                        int *count) {
  *count = wanted < 3 ? wanted : 3;
  for (int i = 0; i < *count; ++i) {
    found[i] = {};
    found[i].algorithm.data[0] = static_cast<uint64_t>(i);
  }
  return kSuccess;
}
EXPORT int MOCK_SYMBOL(cublasLtMatmul, hipblasLtMatmul)(void *, const Descriptor *descriptor, const float *alpha,
                                                        const float *a, const Descriptor *a_layout, const float *b,
                                                        const Descriptor *b_layout, const float *beta, const float *,
                                                        const Descriptor *, float *c, const Descriptor *c_layout,
                                                        const Algorithm *algorithm, void *, size_t, void *stream) {
  if (algorithm->data[0] == 0) return 15;
  const bool transa = descriptor->attributes[kTransa] == kTrans, transb = descriptor->attributes[kTransb] == kTrans;
  const uint64_t inner = transa ? a_layout->rows : a_layout->columns;
  return multiply(stream, transa, transb, static_cast<int64_t>(c_layout->rows), static_cast<int64_t>(c_layout->columns),
                  static_cast<int64_t>(inner), *alpha, a, a_layout->ld, b, b_layout->ld, *beta, c, c_layout->ld);
}

// A HIP runtime without a GPU, for backends/hip's host code: device memory is host memory, streams work at once, and
// the only kernel is the reference product.
//
// MOCK_HIP_DEVICES=gfx906:xnack-,gfx1035   devices; empty: none           MOCK_HIP_VERSION=50200000   version
// MOCK_HIP_FAIL=hipMalloc:2                the second hipMalloc fails
// MOCK_HIP_MET=FILE                        created when that happens
// MOCK_HIP_STREAM_DEVICE=1                 every stream's device, if the version reports it; else the current one
//
// Errors must be cleared before the next call and at a thread's end, and its device restored. Otherwise the process
// ends with a message and kMisused.
#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/kernels.h"
#include "gpu/launch.h"
#include "gpu/splits/fp64_share.h"
#include "gpu/splits/splits.h"
#include "ref/ref.h"

namespace {

using namespace libsgemm;

void product(GemmDesc desc) {
  Error ignored = {};
  cpu_scalar_1x1x1_naive(desc, {}, &ignored);
}

// With a ticket, it reports that FP64 computes all of C.
libsgemm_status_t launch_product(const GemmDesc &desc, const Launch &launch, Error *error) {
  uint32_t *left = gpu::count_fp64(desc.ticket, 1, launch);
  if (left != nullptr) *left = 1;
  return gpu::launch_kernel(product, dim3(1), dim3(1), 0, launch, error, desc);
}

constexpr Kernel kKernel = {
    "gfx_mock", LIBSGEMM_MATH_FP32,
    [](const GemmDesc &desc, int) { return desc.routine == Routine::gemm ? planned(1) : Plan(); }, launch_product};

std::vector<std::string> devices() {
  const char *text = std::getenv("MOCK_HIP_DEVICES");
  std::istringstream names(text != nullptr ? text : "gfx906:sramecc+:xnack-");
  std::vector<std::string> all;
  for (std::string name; std::getline(names, name, ',');) all.push_back(name);
  return all;
}

constexpr int kMisused = 98;

[[noreturn]] void misused(const char *what, const char *call) {
  std::fprintf(stderr, "mock HIP runtime: %s %s\n", what, call);
  _exit(kMisused);
}

// The program's device is 0.
struct Thread {
  int device = 0;
  hipError_t last = hipSuccess;
  bool kept_away = false;  // a fault kept the thread from restoring its device

  ~Thread() {
    if (last != hipSuccess) misused("the last error is left", "at the end of a thread");
    if (device != 0 && !kept_away) misused("another device is left current", "at the end of a thread");
  }
};
thread_local Thread t_thread;
std::atomic<bool> g_initialised{false};

// Starts every call; true: the call fails.
bool fails(const char *call) {
  if (t_thread.last != hipSuccess) misused("an error is not cleared before", call);
  g_initialised = true;
  static std::atomic<int> calls{0};
  const char *text = std::getenv("MOCK_HIP_FAIL");
  const size_t length = std::strlen(call);
  if (text == nullptr || std::strncmp(text, call, length) != 0 || text[length] != ':') return false;
  if (++calls != std::atoi(text + length + 1)) return false;
  const char *met = std::getenv("MOCK_HIP_MET");
  std::FILE *file = met != nullptr ? std::fopen(met, "w") : nullptr;
  if (file != nullptr) std::fclose(file);
  return true;
}

hipError_t result(hipError_t code) {
  if (code != hipSuccess) t_thread.last = code;
  return code;
}

// Replaces hsa_system_get_info, which depends on HIP's initialisation.
int hsa_info(int, void *) {
  constexpr int kNotInitialised = 0x100b;
  return g_initialised ? 0 : kNotInitialised;
}

char g_stream;                  // every stream points here
std::atomic<int> g_queries{0};  // every other one reports unfinished work

}  // namespace

const Kernel *libsgemm::gpu::kernels() { return &kKernel; }
int libsgemm::gpu::kernel_count() { return 1; }
libsgemm_status_t libsgemm::gpu::scale(const GemmDesc &desc, const Launch &launch, Error *error) {
  return launch_product(desc, launch, error);
}
libsgemm_status_t libsgemm::gpu::checksum(const GemmDesc &, const Checksum &, bool, const Launch &launch, Error *) {
  std::fill_n(static_cast<double *>(launch.workspace), kChecksumResults, 0.0);  // accepts every product
  return LIBSGEMM_SUCCESS;
}
// A plan launches these after its first runtime call.
libsgemm_status_t libsgemm::gpu::launch_survey(const PassProblem &, int64_t, const Launch &, Error *) {
  return LIBSGEMM_SUCCESS;
}
libsgemm_status_t libsgemm::gpu::launch_split(Scheme, const PassProblem &, int64_t, const Launch &, Error *) {
  return LIBSGEMM_SUCCESS;
}
libsgemm_status_t libsgemm::gpu::launch_repair(const GemmDesc &, const Guard &, const Launch &, Error *) {
  return LIBSGEMM_SUCCESS;
}

#define MOCK_CALL(name, parameters, code)             \
  hipError_t name parameters {                        \
    if (fails(#name)) return result(hipErrorUnknown); \
    return result([&]() -> hipError_t { code }());    \
  }

extern "C" {

// Through these the library finds the driver's files, and hsa_info() in place of the HSA library.
int access(const char *, int) noexcept { return 0; }

void *dlopen(const char *, int) noexcept { return &g_initialised; }
void *dlsym(void *, const char *) noexcept { return reinterpret_cast<void *>(&hsa_info); }

const char *hipGetErrorString(hipError_t code) {
  return code == hipErrorNoDevice         ? "hipErrorNoDevice"
         : code == hipErrorIllegalAddress ? "an illegal address"
                                          : "an error";
}
hipError_t hipGetLastError() {
  const hipError_t code = t_thread.last;
  t_thread.last = hipSuccess;
  return code;
}
MOCK_CALL(hipRuntimeGetVersion, (int *version), {
  const char *text = std::getenv("MOCK_HIP_VERSION");
  *version = text != nullptr ? std::atoi(text) : HIP_VERSION;
  return hipSuccess;
})
MOCK_CALL(hipGetDeviceCount, (int *count), {
  *count = static_cast<int>(devices().size());
  return *count > 0 ? hipSuccess : hipErrorNoDevice;
})
MOCK_CALL(hipGetDevice, (int *device), {
  *device = t_thread.device;
  return hipSuccess;
})
hipError_t hipSetDevice(int device) {
  if (fails("hipSetDevice")) {
    t_thread.kept_away = device == 0;
    return result(hipErrorUnknown);
  }
  if (device < 0 || static_cast<size_t>(device) >= devices().size()) return result(hipErrorInvalidDevice);
  t_thread.device = device;
  return hipSuccess;
}
MOCK_CALL(hipGetDeviceProperties, (hipDeviceProp_t * properties, int device), {
  const std::string arch = devices()[static_cast<size_t>(device)];
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "Mock %d", device);
  std::snprintf(properties->gcnArchName, sizeof properties->gcnArchName, "%s", arch.c_str());
  properties->totalGlobalMem = size_t{1} << 30;
  return hipSuccess;
})
MOCK_CALL(hipDeviceGetAttribute, (int *value, hipDeviceAttribute_t, int), {
  *value = 64;
  return hipSuccess;
})
MOCK_CALL(hipMemGetInfo, (size_t * free_bytes, size_t *total), {
  *free_bytes = *total = size_t{1} << 30;
  return hipSuccess;
})
hipError_t hipMalloc(void **memory, size_t bytes) {
  *memory = fails("hipMalloc") ? nullptr : std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return result(*memory != nullptr ? hipSuccess : hipErrorOutOfMemory);
}
MOCK_CALL(hipFree, (void *memory), {
  std::free(memory);
  return hipSuccess;
})
MOCK_CALL(hipHostMalloc, (void **memory, size_t bytes, unsigned), {
  *memory = std::malloc(bytes);
  return hipSuccess;
})
MOCK_CALL(hipHostFree, (void *memory), {
  std::free(memory);
  return hipSuccess;
})
MOCK_CALL(hipHostRegister, (void *, size_t, unsigned), { return hipSuccess; })
MOCK_CALL(hipHostGetDevicePointer, (void **seen, void *memory, unsigned), {
  *seen = memory;
  return hipSuccess;
})
MOCK_CALL(hipPointerGetAttributes, (hipPointerAttribute_t *, const void *), { return hipErrorInvalidValue; })
MOCK_CALL(hipMemcpyAsync, (void *to, const void *from, size_t bytes, hipMemcpyKind, hipStream_t), {
  std::memcpy(to, from, bytes);
  return hipSuccess;
})
MOCK_CALL(hipMemsetAsync, (void *to, int value, size_t bytes, hipStream_t), {
  std::memset(to, value, bytes);
  return hipSuccess;
})
MOCK_CALL(hipMemcpy2DAsync,
          (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes, size_t rows, hipMemcpyKind,
           hipStream_t),
          {
            for (size_t i = 0; i < rows; ++i) {
              std::memcpy(static_cast<char *>(to) + i * to_pitch, static_cast<const char *>(from) + i * from_pitch,
                          bytes);
            }
            return hipSuccess;
          })
MOCK_CALL(hipStreamCreateWithFlags, (hipStream_t * stream, unsigned), {
  *stream = reinterpret_cast<hipStream_t>(&g_stream);
  return hipSuccess;
})
MOCK_CALL(hipStreamDestroy, (hipStream_t), { return hipSuccess; })
MOCK_CALL(hipStreamSynchronize, (hipStream_t), { return hipSuccess; })
MOCK_CALL(hipDeviceSynchronize, (), { return hipSuccess; })
MOCK_CALL(hipStreamWaitEvent, (hipStream_t, hipEvent_t, unsigned), { return hipSuccess; })
MOCK_CALL(hipStreamIsCapturing, (hipStream_t, hipStreamCaptureStatus *status), {
  *status = hipStreamCaptureStatusNone;
  return hipSuccess;
})
MOCK_CALL(hipStreamGetCaptureInfo, (hipStream_t, hipStreamCaptureStatus *status, unsigned long long *id), {
  *status = hipStreamCaptureStatusNone;
  *id = 0;
  return hipSuccess;
})
#if HIP_VERSION >= 50600000
MOCK_CALL(hipStreamGetDevice, (hipStream_t, hipDevice_t *device), {
  const char *text = std::getenv("MOCK_HIP_STREAM_DEVICE");
  *device = text != nullptr ? std::atoi(text) : t_thread.device;
  return hipSuccess;
})
#endif
MOCK_CALL(hipThreadExchangeStreamCaptureMode, (hipStreamCaptureMode *), { return hipSuccess; })
MOCK_CALL(hipEventCreateWithFlags, (hipEvent_t * event, unsigned), {
  *event = nullptr;
  return hipSuccess;
})
MOCK_CALL(hipEventDestroy, (hipEvent_t), { return hipSuccess; })
MOCK_CALL(hipEventQuery, (hipEvent_t), { return ++g_queries % 2 == 0 ? hipSuccess : hipErrorNotReady; })
MOCK_CALL(hipEventRecord, (hipEvent_t, hipStream_t), { return hipSuccess; })
MOCK_CALL(hipFuncGetAttributes, (hipFuncAttributes *, const void *), { return hipSuccess; })
MOCK_CALL(hipLaunchKernel, (const void *, dim3, dim3, void **arguments, size_t, hipStream_t), {
  product(*static_cast<const GemmDesc *>(arguments[0]));
  return hipSuccess;
})

}  // extern "C"

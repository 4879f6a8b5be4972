// A HIP runtime without a GPU, for the host code of backends/hip: device memory is the host's, streams are done at
// once, and the one kernel of the table is the reference product.
//
// MOCK_HIP_DEVICES=gfx906:xnack-,gfx1035   the devices; empty: none       MOCK_HIP_VERSION=50200000   the version
// MOCK_HIP_FAIL=hipMalloc:2                the second call of hipMalloc fails
#include <hip/hip_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/kernels.h"
#include "gpu/launch.h"
#include "ref/ref.h"

namespace {

using namespace libsgemm;

// ---- The table: one row

void product(GemmDesc desc) {
  Error ignored = {};
  cpu_scalar_1x1x1_naive(desc, {}, &ignored);
}

libsgemm_status_t launch_product(const GemmDesc &desc, const Launch &launch, Error *error) {
  return gpu::launch_kernel(product, dim3(1), dim3(1), 0, launch, error, desc);
}

constexpr Kernel kRow = {"gfx_mock",
                         LIBSGEMM_MATH_FP32,
                         [](const GemmDesc &desc, int) { return desc.routine == Routine::gemm; },
                         [](const GemmDesc &, int) { return 1.0; },
                         nullptr,
                         launch_product};

// ---- The runtime's state

std::vector<std::string> devices() {
  const char *text = std::getenv("MOCK_HIP_DEVICES");
  std::istringstream names(text != nullptr ? text : "gfx906:sramecc+:xnack-");
  std::vector<std::string> all;
  for (std::string name; std::getline(names, name, ',');) all.push_back(name);
  return all;
}

bool fails(const char *call) {
  static std::atomic<int> calls{0};
  const char *text = std::getenv("MOCK_HIP_FAIL");
  const size_t length = std::strlen(call);
  if (text == nullptr || std::strncmp(text, call, length) != 0 || text[length] != ':') return false;
  return ++calls == std::atoi(text + length + 1);
}

thread_local int t_device = 0;
thread_local hipError_t t_last = hipSuccess;

hipError_t result(hipError_t code) {
  if (code != hipSuccess) t_last = code;
  return code;
}

}  // namespace

const Kernel *libsgemm::gpu::kernels() { return &kRow; }
int libsgemm::gpu::kernel_count() { return 1; }
libsgemm_status_t libsgemm::gpu::scale(const GemmDesc &desc, const Launch &launch, Error *error) {
  return launch_product(desc, launch, error);
}

// ---- The runtime's calls

#define MOCK_CALL(name, parameters, code)             \
  hipError_t name parameters {                        \
    if (fails(#name)) return result(hipErrorUnknown); \
    return result([&]() -> hipError_t { code }());    \
  }

extern "C" {

// The driver's files are there.
int access(const char *, int) noexcept { return 0; }

const char *hipGetErrorString(hipError_t code) {
  return code == hipErrorNoDevice         ? "hipErrorNoDevice"
         : code == hipErrorIllegalAddress ? "an illegal address"
                                          : "an error";
}
hipError_t hipGetLastError() {
  const hipError_t code = t_last;
  t_last = hipSuccess;
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
  *device = t_device;
  return hipSuccess;
})
MOCK_CALL(hipSetDevice, (int device), {
  t_device = device;
  return hipSuccess;
})
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
MOCK_CALL(hipPointerGetAttributes, (hipPointerAttribute_t *, const void *), { return hipErrorInvalidValue; })
MOCK_CALL(hipMemcpyAsync, (void *to, const void *from, size_t bytes, hipMemcpyKind, hipStream_t), {
  std::memcpy(to, from, bytes);
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
  *stream = nullptr;
  return hipSuccess;
})
MOCK_CALL(hipStreamDestroy, (hipStream_t), { return hipSuccess; })
MOCK_CALL(hipStreamSynchronize, (hipStream_t), { return hipSuccess; })
MOCK_CALL(hipStreamWaitEvent, (hipStream_t, hipEvent_t, unsigned), { return hipSuccess; })
MOCK_CALL(hipStreamIsCapturing, (hipStream_t, hipStreamCaptureStatus *status), {
  *status = hipStreamCaptureStatusNone;
  return hipSuccess;
})
#if HIP_VERSION >= 50600000
MOCK_CALL(hipStreamGetDevice, (hipStream_t, hipDevice_t *device), {
  *device = t_device;
  return hipSuccess;
})
#endif
MOCK_CALL(hipThreadExchangeStreamCaptureMode, (hipStreamCaptureMode *), { return hipSuccess; })
MOCK_CALL(hipEventCreateWithFlags, (hipEvent_t * event, unsigned), {
  *event = nullptr;
  return hipSuccess;
})
MOCK_CALL(hipEventDestroy, (hipEvent_t), { return hipSuccess; })
MOCK_CALL(hipEventRecord, (hipEvent_t, hipStream_t), { return hipSuccess; })
MOCK_CALL(hipFuncGetAttributes, (hipFuncAttributes *, const void *), { return hipSuccess; })
MOCK_CALL(hipLaunchKernel, (const void *, dim3, dim3, void **arguments, size_t, hipStream_t), {
  product(*static_cast<const GemmDesc *>(arguments[0]));
  return hipSuccess;
})

}  // extern "C"

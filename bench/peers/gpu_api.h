// The API of a vendor's GPUs, loaded at run time and declared here so that the command builds without it: the public
// binary interfaces of NVIDIA's driver and AMD's HIP runtime, which differ in names only. Device addresses are void *.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "sensors.h"

namespace command {

using GpuStream = struct GpuStreamOpaque *;
using GpuEvent = struct GpuEventOpaque *;
using GpuModule = struct GpuModuleOpaque *;
using GpuFunction = struct GpuFunctionOpaque *;

constexpr int kGpuSuccess = 0;
constexpr int kGpuOutOfMemory = 2;
constexpr int kGpuNotReady = 600;
constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventDefault = 0;
constexpr unsigned kHostDefault = 0;

// X(member, NVIDIA's symbol, AMD's symbol, parameters...); functions return int. A suffix (_v2) is the version that the
// plain name stands for in today's header.
#define LIBSGEMM_GPU_FUNCTIONS(X)                                                                                     \
  X(init, "cuInit", "hipInit", unsigned)                                                                              \
  X(version, "cuDriverGetVersion", "hipDriverGetVersion", int *)                                                      \
  X(device_count, "cuDeviceGetCount", "hipGetDeviceCount", int *)                                                     \
  X(device_get, "cuDeviceGet", "hipDeviceGet", int *, int)                                                            \
  X(device_name, "cuDeviceGetName", "hipDeviceGetName", char *, int, int)                                             \
  X(device_attribute, "cuDeviceGetAttribute", "hipDeviceGetAttribute", int *, int, int)                               \
  X(device_pci_bus_id, "cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId", char *, int, int)                               \
  X(memory_allocate, "cuMemAlloc_v2", "hipMalloc", void **, size_t)                                                   \
  X(memory_free, "cuMemFree_v2", "hipFree", void *)                                                                   \
  X(host_allocate, "cuMemHostAlloc", "hipHostMalloc", void **, size_t, unsigned)                                      \
  X(host_free, "cuMemFreeHost", "hipHostFree", void *)                                                                \
  X(copy_to_device, "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync", void *, const void *, size_t, GpuStream)            \
  X(copy_to_host, "cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync", void *, const void *, size_t, GpuStream)              \
  X(copy_on_device, "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync", void *, const void *, size_t, GpuStream)            \
  X(set_words, "cuMemsetD32Async", "hipMemsetD32Async", void *, unsigned, size_t, GpuStream)                          \
  X(stream_create, "cuStreamCreate", "hipStreamCreateWithFlags", GpuStream *, unsigned)                               \
  X(stream_synchronize, "cuStreamSynchronize", "hipStreamSynchronize", GpuStream)                                     \
  X(event_create, "cuEventCreate", "hipEventCreateWithFlags", GpuEvent *, unsigned)                                   \
  X(event_record, "cuEventRecord", "hipEventRecord", GpuEvent, GpuStream)                                             \
  X(event_query, "cuEventQuery", "hipEventQuery", GpuEvent)                                                           \
  X(event_synchronize, "cuEventSynchronize", "hipEventSynchronize", GpuEvent)                                         \
  X(event_elapsed, "cuEventElapsedTime", "hipEventElapsedTime", float *, GpuEvent, GpuEvent)                          \
  X(module_load, "cuModuleLoadData", "hipModuleLoadData", GpuModule *, const void *)                                  \
  X(module_function, "cuModuleGetFunction", "hipModuleGetFunction", GpuFunction *, GpuModule, const char *)           \
  X(launch, "cuLaunchKernel", "hipModuleLaunchKernel", GpuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, \
    unsigned, unsigned, GpuStream, void **, void **)

struct GpuFunctions {
#define X(member, cuda, hip, ...) int (*member)(__VA_ARGS__);
  LIBSGEMM_GPU_FUNCTIONS(X)
#undef X
};

class GpuApi : public GpuFunctions {
 public:
  virtual ~GpuApi() = default;

  const char *backend = nullptr;                        // libsgemm's backend
  int multiprocessors_attribute = 0, l2_attribute = 0;  // for device_attribute
  // kHz, kHz, bits; 0: not queried.
  int clock_attribute = 0, memory_clock_attribute = 0, bus_width_attribute = 0;

  // Makes the device current in the thread, with the context of the library's plugin. Throws Error.
  virtual void use_device(int device) const = 0;
  virtual std::string arch(int device) const = 0;           // "sm_90", "gfx90a"
  virtual std::string version_text(int version) const = 0;  // "CUDA 13.0", "HIP 6.2"
  // Bytes of a cache beyond L2, which no attribute reports; 0: none.
  virtual int64_t last_cache_bytes(int) const { return 0; }
  virtual std::unique_ptr<Sensors> sensors(const std::string &pci_bus_id) const = 0;
  // Code for module_load(), from a text in PTX or HIP C++, and that of device_kernels.h. Throw Error.
  virtual std::string compile(const std::string &text, int device) const = 0;
  virtual std::string device_code(int device) const = 0;
  // "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
  virtual std::string describe(int result) const = 0;

  // Throws Error "what: CUDA_ERROR_...: ...", or std::bad_alloc.
  void require(int result, const char *what) const;
};

// The first call loads and initialises the vendor's library. Throw Error.
const GpuApi &cuda_api();
const GpuApi &hip_api();

void *require_symbol(void *library, const char *file, const char *symbol);

template <class Function>
void find_symbol(Function *function, void *library, const std::string &file, const char *symbol) {
  *function = reinterpret_cast<Function>(require_symbol(library, file.c_str(), symbol));
}

}  // namespace command

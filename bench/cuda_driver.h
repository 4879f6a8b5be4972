// The NVIDIA driver's API, loaded at run time and declared here, so that the command builds on a machine without CUDA.
// The names, types and values are those of the driver's public binary interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace command {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;

constexpr CUresult kCudaSuccess = 0;
constexpr CUresult kCudaOutOfMemory = 2;
constexpr CUresult kCudaNotReady = 600;
constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventDefault = 0;

enum DeviceAttribute : int {
  kMultiprocessors = 16,
  kL2Bytes = 38,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
};

// X(member, symbol, parameters...): all return CUresult. A symbol with a suffix is the version that today's header
// gives to the plain name.
#define LIBSGEMM_DRIVER_FUNCTIONS(X)                                                                            \
  X(init, "cuInit", unsigned)                                                                                   \
  X(driver_version, "cuDriverGetVersion", int *)                                                                \
  X(device_count, "cuDeviceGetCount", int *)                                                                    \
  X(device_get, "cuDeviceGet", CUdevice *, int)                                                                 \
  X(device_name, "cuDeviceGetName", char *, int, CUdevice)                                                      \
  X(device_attribute, "cuDeviceGetAttribute", int *, int, CUdevice)                                             \
  X(device_pci_bus_id, "cuDeviceGetPCIBusId", char *, int, CUdevice)                                            \
  X(primary_context_retain, "cuDevicePrimaryCtxRetain", CUcontext *, CUdevice)                                  \
  X(context_set_current, "cuCtxSetCurrent", CUcontext)                                                          \
  X(memory_allocate, "cuMemAlloc_v2", CUdeviceptr *, size_t)                                                    \
  X(memory_free, "cuMemFree_v2", CUdeviceptr)                                                                   \
  X(host_allocate, "cuMemAllocHost_v2", void **, size_t)                                                        \
  X(copy_to_device, "cuMemcpyHtoDAsync_v2", CUdeviceptr, const void *, size_t, CUstream)                        \
  X(copy_to_host, "cuMemcpyDtoHAsync_v2", void *, CUdeviceptr, size_t, CUstream)                                \
  X(copy_on_device, "cuMemcpyDtoDAsync_v2", CUdeviceptr, CUdeviceptr, size_t, CUstream)                         \
  X(set_words, "cuMemsetD32Async", CUdeviceptr, unsigned, size_t, CUstream)                                     \
  X(stream_create, "cuStreamCreate", CUstream *, unsigned)                                                      \
  X(stream_synchronize, "cuStreamSynchronize", CUstream)                                                        \
  X(event_create, "cuEventCreate", CUevent *, unsigned)                                                         \
  X(event_record, "cuEventRecord", CUevent, CUstream)                                                           \
  X(event_query, "cuEventQuery", CUevent)                                                                       \
  X(event_synchronize, "cuEventSynchronize", CUevent)                                                           \
  X(event_elapsed, "cuEventElapsedTime", float *, CUevent, CUevent)                                             \
  X(module_load, "cuModuleLoadData", CUmodule *, const void *)                                                  \
  X(module_function, "cuModuleGetFunction", CUfunction *, CUmodule, const char *)                               \
  X(launch, "cuLaunchKernel", CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
    CUstream, void **, void **)                                                                                 \
  X(error_name, "cuGetErrorName", CUresult, const char **)                                                      \
  X(error_string, "cuGetErrorString", CUresult, const char **)

struct Driver {
#define X(member, symbol, ...) CUresult (*member)(__VA_ARGS__);
  LIBSGEMM_DRIVER_FUNCTIONS(X)
#undef X
};

// Loads libcuda.so.1 and initialises it, once. Throws Error.
const Driver &cuda_driver();

// Throws Error, "what: CUDA_ERROR_...: ...", unless `result` is success; std::bad_alloc for a lack of memory.
void require_cuda(CUresult result, const char *what);

// Throws Error that names the library if `symbol` is missing in it.
void *require_symbol(void *library, const char *file, const char *symbol);

}  // namespace command

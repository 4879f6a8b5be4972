// HIP spelled as CUDA, to run backends/hip on an NVIDIA GPU. A call that the backend does not use yet fails to compile.
// As with HIP, the compile command defines __HIP_PLATFORM_NVIDIA__.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#define HIP_VERSION_MAJOR 6
#define HIP_VERSION 60000000

using hipError_t = cudaError_t;
using hipStream_t = cudaStream_t;
using hipEvent_t = cudaEvent_t;
using hipMemcpyKind = cudaMemcpyKind;
using hipFuncAttributes = cudaFuncAttributes;
using hipStreamCaptureMode = cudaStreamCaptureMode;
using hipStreamCaptureStatus = cudaStreamCaptureStatus;
using hipDeviceAttribute_t = cudaDeviceAttr;
using hipMemoryType = cudaMemoryType;

constexpr hipError_t hipSuccess = cudaSuccess;
constexpr hipError_t hipErrorInvalidValue = cudaErrorInvalidValue;
constexpr hipError_t hipErrorOutOfMemory = cudaErrorMemoryAllocation;
constexpr hipError_t hipErrorNoDevice = cudaErrorNoDevice;
constexpr hipError_t hipErrorInvalidDevice = cudaErrorInvalidDevice;
constexpr hipError_t hipErrorIllegalAddress = cudaErrorIllegalAddress;
constexpr hipError_t hipErrorLaunchFailure = cudaErrorLaunchFailure;
constexpr hipError_t hipErrorLaunchTimeOut = cudaErrorLaunchTimeout;
constexpr hipError_t hipErrorLaunchOutOfResources = cudaErrorLaunchOutOfResources;
constexpr hipError_t hipErrorContextIsDestroyed = cudaErrorContextIsDestroyed;
constexpr hipError_t hipErrorAssert = cudaErrorAssert;
constexpr hipError_t hipErrorECCNotCorrectable = cudaErrorECCUncorrectable;
constexpr hipError_t hipErrorNotReady = cudaErrorNotReady;
constexpr hipError_t hipErrorStreamCaptureImplicit = cudaErrorStreamCaptureImplicit;
constexpr hipError_t hipErrorStreamCaptureUnsupported = cudaErrorStreamCaptureUnsupported;
constexpr hipError_t hipErrorUnknown = cudaErrorUnknown;

constexpr hipMemcpyKind hipMemcpyHostToDevice = cudaMemcpyHostToDevice;
constexpr hipMemcpyKind hipMemcpyDeviceToHost = cudaMemcpyDeviceToHost;
constexpr hipMemcpyKind hipMemcpyDeviceToDevice = cudaMemcpyDeviceToDevice;
constexpr unsigned hipStreamNonBlocking = cudaStreamNonBlocking;
constexpr unsigned hipEventDisableTiming = cudaEventDisableTiming;
constexpr unsigned hipHostMallocPortable = cudaHostAllocPortable;
constexpr unsigned hipHostRegisterMapped = cudaHostRegisterMapped;
constexpr hipStreamCaptureMode hipStreamCaptureModeRelaxed = cudaStreamCaptureModeRelaxed;
constexpr hipStreamCaptureStatus hipStreamCaptureStatusNone = cudaStreamCaptureStatusNone;
constexpr hipStreamCaptureStatus hipStreamCaptureStatusActive = cudaStreamCaptureStatusActive;

constexpr hipDeviceAttribute_t hipDeviceAttributeMultiprocessorCount = cudaDevAttrMultiProcessorCount;
constexpr hipDeviceAttribute_t hipDeviceAttributePhysicalMultiProcessorCount = cudaDevAttrMultiProcessorCount;
constexpr hipDeviceAttribute_t hipDeviceAttributeMaxSharedMemoryPerBlock = cudaDevAttrMaxSharedMemoryPerBlock;
constexpr hipDeviceAttribute_t hipDeviceAttributeWarpSize = cudaDevAttrWarpSize;
constexpr hipDeviceAttribute_t hipDeviceAttributeClockRate = cudaDevAttrClockRate;
constexpr hipDeviceAttribute_t hipDeviceAttributeMemoryClockRate = cudaDevAttrMemoryClockRate;
constexpr hipDeviceAttribute_t hipDeviceAttributeMemoryBusWidth = cudaDevAttrGlobalMemoryBusWidth;

constexpr hipMemoryType hipMemoryTypeUnregistered = cudaMemoryTypeUnregistered;
constexpr hipMemoryType hipMemoryTypeHost = cudaMemoryTypeHost;
constexpr hipMemoryType hipMemoryTypeDevice = cudaMemoryTypeDevice;
constexpr hipMemoryType hipMemoryTypeManaged = cudaMemoryTypeManaged;
constexpr auto hipMemoryTypeUnified = static_cast<hipMemoryType>(11);  // CUDA has none

struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
  int isManaged;
};

// The backend reads these; there is no AMD architecture.
struct hipDeviceProp_t {
  char name[256];
  char gcnArchName[256];
  size_t totalGlobalMem;
};

// Several CUDA errors have one HIP name.
inline hipError_t hip_error(cudaError_t code) {
  switch (code) {
    case cudaErrorInvalidAddressSpace:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidPc:
      return hipErrorIllegalAddress;
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
      return hipErrorLaunchFailure;
    default:
      return code;
  }
}

#define LIBSGEMM_HIP_IS(hip, cuda)         \
  template <typename... Arguments>         \
  hipError_t hip(Arguments... arguments) { \
    return hip_error(cuda(arguments...));  \
  }
LIBSGEMM_HIP_IS(hipGetDeviceCount, cudaGetDeviceCount)
LIBSGEMM_HIP_IS(hipGetDevice, cudaGetDevice)
LIBSGEMM_HIP_IS(hipSetDevice, cudaSetDevice)
LIBSGEMM_HIP_IS(hipDeviceGetAttribute, cudaDeviceGetAttribute)
LIBSGEMM_HIP_IS(hipMemGetInfo, cudaMemGetInfo)
LIBSGEMM_HIP_IS(hipFree, cudaFree)
LIBSGEMM_HIP_IS(hipHostFree, cudaFreeHost)
LIBSGEMM_HIP_IS(hipHostRegister, cudaHostRegister)
LIBSGEMM_HIP_IS(hipHostGetDevicePointer, cudaHostGetDevicePointer)
LIBSGEMM_HIP_IS(hipMemcpyAsync, cudaMemcpyAsync)
LIBSGEMM_HIP_IS(hipMemcpy2DAsync, cudaMemcpy2DAsync)
LIBSGEMM_HIP_IS(hipMemsetAsync, cudaMemsetAsync)
LIBSGEMM_HIP_IS(hipStreamCreateWithFlags, cudaStreamCreateWithFlags)
LIBSGEMM_HIP_IS(hipStreamDestroy, cudaStreamDestroy)
LIBSGEMM_HIP_IS(hipStreamSynchronize, cudaStreamSynchronize)
LIBSGEMM_HIP_IS(hipDeviceSynchronize, cudaDeviceSynchronize)
LIBSGEMM_HIP_IS(hipStreamWaitEvent, cudaStreamWaitEvent)
LIBSGEMM_HIP_IS(hipStreamGetDevice, cudaStreamGetDevice)
LIBSGEMM_HIP_IS(hipStreamIsCapturing, cudaStreamIsCapturing)
LIBSGEMM_HIP_IS(hipThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode)
LIBSGEMM_HIP_IS(hipEventCreateWithFlags, cudaEventCreateWithFlags)
LIBSGEMM_HIP_IS(hipEventDestroy, cudaEventDestroy)
LIBSGEMM_HIP_IS(hipEventRecord, cudaEventRecord)
LIBSGEMM_HIP_IS(hipEventQuery, cudaEventQuery)
LIBSGEMM_HIP_IS(hipFuncGetAttributes, cudaFuncGetAttributes)
LIBSGEMM_HIP_IS(hipGetLastError, cudaGetLastError)
#undef LIBSGEMM_HIP_IS

inline const char *hipGetErrorString(hipError_t code) { return cudaGetErrorString(code); }

inline hipError_t hipRuntimeGetVersion(int *version) {
  *version = HIP_VERSION;
  return hipSuccess;
}
template <typename T>
hipError_t hipMalloc(T **memory, size_t bytes) {
  return hip_error(cudaMalloc(reinterpret_cast<void **>(memory), bytes));
}
template <typename T>
hipError_t hipHostMalloc(T **memory, size_t bytes, unsigned flags = 0) {
  return hip_error(cudaHostAlloc(reinterpret_cast<void **>(memory), bytes, flags));
}
inline hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id) {
  return hip_error(cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr));
}
inline hipError_t hipLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                  hipStream_t stream) {
  return hip_error(cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream));
}
inline hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer) {
  cudaPointerAttributes from;
  const cudaError_t code = cudaPointerGetAttributes(&from, pointer);
  if (code != cudaSuccess) return code;
  *attributes = {from.type, from.device, from.devicePointer, from.hostPointer, from.type == cudaMemoryTypeManaged};
  return cudaSuccess;
}
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device) {
  cudaDeviceProp from;
  const cudaError_t code = cudaGetDeviceProperties(&from, device);
  if (code != cudaSuccess) return code;
  *properties = {};
  std::memcpy(properties->name, from.name, sizeof properties->name);
  std::snprintf(properties->gcnArchName, sizeof properties->gcnArchName, "sm_%d%d", from.major, from.minor);
  properties->totalGlobalMem = from.totalGlobalMem;
  return cudaSuccess;
}

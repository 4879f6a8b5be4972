// The runtime that this is compiled for, host or device code: CUDA's, HIP's, or that of the tests on the CPU. And its
// spelling, for host code that serves every vendor (gpu/runtime): LIBSGEMM_RUNTIME(Malloc) is cudaMalloc or hipMalloc.
#pragma once

#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__) || defined(__HIP_PLATFORM_NVIDIA__)
#include <hip/hip_runtime.h>  // tests/hip_on_cuda puts its own in place

#define LIBSGEMM_RUNTIME(name) hip##name

// What differs by more than the beginning.
#define LIBSGEMM_OUT_OF_MEMORY_CODE hipErrorOutOfMemory
#define LIBSGEMM_TIMEOUT_CODE hipErrorLaunchTimeOut
#define LIBSGEMM_HOST_MALLOC hipHostMalloc
#define LIBSGEMM_HOST_PORTABLE hipHostMallocPortable
#define LIBSGEMM_HOST_FREE hipHostFree
#define LIBSGEMM_CURRENT_TYPE int  // what a thread computes on: a device, by its number
#else
#include <cuda_runtime.h>  // tests/simt puts its own in place

struct CUctx_st;  // of cuda.h

#define LIBSGEMM_RUNTIME(name) cuda##name
#define LIBSGEMM_OUT_OF_MEMORY_CODE cudaErrorMemoryAllocation
#define LIBSGEMM_TIMEOUT_CODE cudaErrorLaunchTimeout
#define LIBSGEMM_HOST_MALLOC cudaHostAlloc
#define LIBSGEMM_HOST_PORTABLE cudaHostAllocPortable
#define LIBSGEMM_HOST_FREE cudaFreeHost
#define LIBSGEMM_CURRENT_TYPE CUctx_st *  // a context
#endif

// The runtime: CUDA's, HIP's, or that of the tests on the CPU.
#pragma once

#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__) || defined(__HIP_PLATFORM_NVIDIA__)
#include <hip/hip_runtime.h>  // tests/hip_on_cuda has its own

#define LIBSGEMM_RUNTIME(name) hip##name

// Names that differ in more than the prefix.
#define LIBSGEMM_OUT_OF_MEMORY_CODE hipErrorOutOfMemory
#define LIBSGEMM_TIMEOUT_CODE hipErrorLaunchTimeOut
#define LIBSGEMM_HOST_MALLOC hipHostMalloc
#define LIBSGEMM_HOST_PORTABLE hipHostMallocPortable
#define LIBSGEMM_HOST_FREE hipHostFree
#define LIBSGEMM_CURRENT_TYPE int  // device number
#else
#include <cuda_runtime.h>  // tests/simt has its own

struct CUctx_st;  // cuda.h

#define LIBSGEMM_RUNTIME(name) cuda##name
#define LIBSGEMM_OUT_OF_MEMORY_CODE cudaErrorMemoryAllocation
#define LIBSGEMM_TIMEOUT_CODE cudaErrorLaunchTimeout
#define LIBSGEMM_HOST_MALLOC cudaHostAlloc
#define LIBSGEMM_HOST_PORTABLE cudaHostAllocPortable
#define LIBSGEMM_HOST_FREE cudaFreeHost
#define LIBSGEMM_CURRENT_TYPE CUctx_st *
#endif

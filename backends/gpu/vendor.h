// The runtime that this is compiled for, host or device code: CUDA's, HIP's, or that of the tests on the CPU.
#pragma once

#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>  // tests/simt puts its own in place
#endif

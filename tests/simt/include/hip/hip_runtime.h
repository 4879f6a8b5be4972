// HIP names of kernels, for the CPU: CUDA's, and HIP's only own one.
#pragma once

#include <cuda_runtime.h>

enum hipError_t { hipSuccess = 0 };

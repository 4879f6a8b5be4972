// The names of HIP that kernels and their rows use, for a C++ compiler and the CPU: those of CUDA, and the one that
// only HIP has.
#pragma once

#include <cuda_runtime.h>

enum hipError_t { hipSuccess = 0 };

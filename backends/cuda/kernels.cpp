#include "gpu/kernels.h"

#include "device_code.h"

LIBSGEMM_KERNEL_TABLE(cuda, LIBSGEMM_CUDA_DEVICE_CODE)

#include "gpu/kernels.h"

#include "device_code.h"

LIBSGEMM_KERNEL_TABLE(hip, LIBSGEMM_HIP_DEVICE_CODE)

#include "gpu/kernels.h"

#include "rows.h"

LIBSGEMM_KERNEL_TABLE(cuda, LIBSGEMM_CUDA_ROWS)

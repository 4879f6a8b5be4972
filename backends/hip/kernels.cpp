#include "gpu/kernels.h"

#include "rows.h"

LIBSGEMM_KERNEL_TABLE(hip, LIBSGEMM_HIP_ROWS)

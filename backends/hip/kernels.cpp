// The kernel table. rows.h says which file defines a kernel.
#include "gpu/kernels.h"

#include "rows.h"

LIBSGEMM_KERNEL_TABLE(hip, LIBSGEMM_HIP_ROWS)

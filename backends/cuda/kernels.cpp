// The kernel table. rows.h says in which file a row is.
#include "gpu/kernels.h"

#include "rows.h"

LIBSGEMM_KERNEL_TABLE(cuda, LIBSGEMM_CUDA_ROWS)

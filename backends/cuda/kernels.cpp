// The kernel table, from rows.h: the row `name` is in kernels/<name>.cu.
#include "gpu/kernels.h"

#include "rows.h"

LIBSGEMM_KERNEL_TABLE(cuda, LIBSGEMM_CUDA_ROWS)

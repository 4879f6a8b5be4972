// The kernel table, from rows.h: the row `name` is in <name>.cu of one of the folders.
#include "gpu/kernels.h"

#include "rows.h"

LIBSGEMM_KERNEL_TABLE(cuda, LIBSGEMM_CUDA_ROWS)

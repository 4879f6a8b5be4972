// The kernel table, from rows.h: row NAME is in kernels/NAME.hip.
#include "gpu/kernels.h"

#include "rows.h"

LIBSGEMM_KERNEL_TABLE(hip, LIBSGEMM_HIP_ROWS)

// As sm90_wgmma_256x128x64_grouped.cu, with a smaller tile and without clusters (pairs slow the kernel for single
// products), for products with few rows or columns.
//
//   tile of C: 64 of m x 128 of n, or the other way round where that takes fewer tiles for all products of a launch;
//   y has 64, a thread 32 accumulators
//
// Shared memory, bytes: stage s of 8 at 24576 s: x at 0, 16384; y at 16384, 8192; after the stages 32768 of boxes in
// flight to C, then 128 of barriers. At most 229504 in all.
#include "gpu/kernels.h"
#include "wgmma_grouped_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_GROUPED_ROW(sm90_wgmma_64x128x64_grouped, 64, 8, 1)

}  // namespace libsgemm::cuda

// As sm90_wgmma_256x128x64_grouped.cu, with half the tile, for groups of which many products are of medium size.
//
//   pair of blocks: 128 of m x 256 of n, or the other way round where that takes fewer tiles for all products of a
//   launch; y has 128, a thread 64 accumulators
//
// Shared memory, bytes: stage s of 6 at 32768 s: x at 0, 16384; y at 16384, 16384; after the stages 32768 of boxes in
// flight to C, then 96 of barriers. At most 229472 in all.
#include "gpu/kernels.h"
#include "wgmma_grouped_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_GROUPED_ROW(sm90_wgmma_128x128x64_grouped, 128, 6, 2)

}  // namespace libsgemm::cuda

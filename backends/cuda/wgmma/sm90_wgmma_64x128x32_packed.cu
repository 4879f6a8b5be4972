// sm90_wgmma_256x128x32_packed.cu with tiles of 64 x 128 (128 x 64 if A is MN-major) and no clusters, for a medium C.
#include "tf32_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_PACKED_ROW(sm90_wgmma_64x128x32_packed, 64, 7, 1)

}  // namespace libsgemm::cuda

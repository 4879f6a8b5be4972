// C = alpha op(A) op(B) + beta C of 16-bit matrices by wgmma.
#include "gpu/kernels.h"
#include "wgmma_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_ROW(sm90_wgmma_192x128x64, 192, 4, 2, 0.72)

}  // namespace libsgemm::cuda

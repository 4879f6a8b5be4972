// C = alpha op(A) op(B) + beta C of 16-bit matrices by wgmma.
#include "gpu/kernels.h"
#include "wgmma_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_ROW(sm90_wgmma_96x128x64, 96, 6, 2, 0.55)

}  // namespace libsgemm::cuda

#include "gpu/kernels.h"
#include "wgmma_grouped_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_GROUPED_ROW(sm90_wgmma_256x128x64_grouped, 256, 4, 2, 0.75)

}  // namespace libsgemm::cuda

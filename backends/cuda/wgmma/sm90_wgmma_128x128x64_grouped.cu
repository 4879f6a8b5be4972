#include "gpu/kernels.h"
#include "wgmma_grouped_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_GROUPED_ROW(sm90_wgmma_128x128x64_grouped, 128, 6, 2, 0.65)

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C of 16-bit matrices by wgmma.
#include "gpu/kernels.h"
#include "wgmma_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_ROW(sm90_wgmma_128x128x64, 128, 6, 2, 0.65)
Kernel sm90_wgmma_128x128x64_split_k() { return wgmma_split_kernel<Row>("sm90_wgmma_128x128x64_split_k"); }
Kernel sm90_wgmma_128x128x64_triangle() { return wgmma_triangle_kernel<Row, 1>("sm90_wgmma_128x128x64_triangle"); }

}  // namespace libsgemm::cuda

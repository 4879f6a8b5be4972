// C = alpha op(A) op(B) + beta C of 16-bit matrices by wgmma.
#include "gpu/kernels.h"
#include "wgmma_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_ROW(sm90_wgmma_256x128x64, 256, 4, 2, 0.75)
Kernel sm90_wgmma_256x128x64_split_k() { return wgmma_split_kernel<Row>("sm90_wgmma_256x128x64_split_k"); }
Kernel sm90_wgmma_256x128x64_triangle() { return wgmma_triangle_kernel<Row, 2>("sm90_wgmma_256x128x64_triangle"); }

}  // namespace libsgemm::cuda

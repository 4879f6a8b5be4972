// sm90_wgmma_256x128x64_grouped.cu with tiles of 64 x 128 and without clusters, for products with few rows or columns.
#include "gpu/kernels.h"
#include "wgmma_grouped_kernel.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_GROUPED_CODE(sm90_wgmma_64x128x64_grouped, 64, 8, 1)

KernelList sm90_wgmma_64x128x64_grouped() { return wgmma_grouped_kernel<DeviceCode>("sm90_wgmma_64x128x64_grouped"); }

}  // namespace libsgemm::cuda

// sm90_wgmma_256x128x64_grouped.cu with half the tile (a pair of blocks computes 128 x 256), for medium sizes.
#include "gpu/kernels.h"
#include "wgmma_grouped_kernel.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_GROUPED_CODE(sm90_wgmma_128x128x64_grouped, 128, 6, 2)

KernelList sm90_wgmma_128x128x64_grouped() { return wgmma_grouped_kernel<DeviceCode>("sm90_wgmma_128x128x64_grouped"); }

}  // namespace libsgemm::cuda

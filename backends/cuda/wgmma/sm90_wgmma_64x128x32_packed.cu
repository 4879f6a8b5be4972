// sm90_wgmma_256x128x32_packed.cu with tiles of 64 x 128 (128 x 64 if A is MN-major) and no clusters, for a medium C.
#include "tf32_kernel.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_PACKED_CODE(sm90_wgmma_64x128x32_packed, 64, 7, 1)

KernelList sm90_wgmma_64x128x32_packed() {
  return packed_kernel<Tf32Code<Product>>("sm90_wgmma_64x128x32_packed", LIBSGEMM_MATH_TF32);
}

}  // namespace libsgemm::cuda

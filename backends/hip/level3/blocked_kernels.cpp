// Triangles of C, trmm and trsm as gemms and diagonal blocks (gpu/level3/blocked.h). Source: Kagstrom, Ling and
// Van Loan, "GEMM-based level 3 BLAS", ACM TOMS 24 (1998).
#include "gpu/level3/blocked.h"

namespace libsgemm::hip {

using namespace gpu;

KernelList gfx_fma_256x256x256_blocked_triangle() {
  return level3::blocked_triangle_kernel("gfx_fma_256x256x256_blocked_triangle");
}
KernelList gfx_fma_256x256x256_blocked_trmm() {
  return level3::blocked_trmm_kernel("gfx_fma_256x256x256_blocked_trmm");
}
KernelList gfx_fma_256x256x256_blocked_trsm() {
  return level3::blocked_trsm_kernel("gfx_fma_256x256x256_blocked_trsm");
}

}  // namespace libsgemm::hip

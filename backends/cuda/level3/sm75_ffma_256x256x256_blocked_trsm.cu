// Triangular systems by the fastest gemm, without device code. The triangle is halved recursively down to order 256
// (gpu/level3/blocked.h); the square next to the two halves is a gemm. Source: that of
// sm75_ffma_256x256x256_blocked_triangle.
#include "gpu/level3/blocked.h"

namespace libsgemm::cuda {

using namespace gpu;

KernelList sm75_ffma_256x256x256_blocked_trsm() {
  return level3::blocked_trsm_kernel("sm75_ffma_256x256x256_blocked_trsm");
}

}  // namespace libsgemm::cuda

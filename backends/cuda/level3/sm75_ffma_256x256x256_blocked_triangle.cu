// Triangles of C as calls of the fastest gemm, without device code. Why: docs/kernels/level3.md.
//
//   | d       |
//   | 2 d     |      C, lower: 1 and 2 are the gemms of the two levels, a batch for each (syr2k: two); d are the blocks
//   | 1 1 d   |      on the diagonal, of order 256 at most, computed as a batch of the routine itself
//   | 1 1 2 d |
//
// Source: Kagstrom, Ling and Van Loan, "GEMM-based level 3 BLAS", ACM TOMS 24 (1998).
//
// Requires: a triangle of C, in FP32.
#include "gpu/level3/blocked.h"

namespace libsgemm::cuda {

using namespace gpu;

KernelList sm75_ffma_256x256x256_blocked_triangle() {
  return level3::blocked_triangle_kernel("sm75_ffma_256x256x256_blocked_triangle");
}

}  // namespace libsgemm::cuda

// syrk, syr2k and gemmtr by the fastest gemm, without device code.
//
// Squares next to the diagonal are gemms, those of one size as one strided batch, each by the cheapest kernel of the
// table. The blocks on the diagonal, of order 256 at most, are a batch of the routine itself. syr2k adds its second
// product with a second gemm.
//
//   | d       |
//   | 2 d     |      C, lower: 1 and 2 are the gemms of the two levels, d the blocks on the diagonal
//   | 1 1 d   |
//   | 1 1 2 d |
//
// Source: Kagstrom, Ling and Van Loan, "GEMM-based level 3 BLAS", ACM TOMS 24 (1998).
//
// Requires: syrk, syr2k or gemmtr in FP32. Any size, stride and alignment; no workspace. Its speed has not been
// measured.
#include "gpu/level3/blocked.h"

namespace libsgemm::cuda {

using namespace gpu;

Kernel sm75_ffma_256x256x256_blocked_triangle() {
  return level3::blocked_triangle_row("sm75_ffma_256x256x256_blocked_triangle");
}

}  // namespace libsgemm::cuda

// sm75_ffma_256x256x256_blocked_trsm: triangular systems by the fastest gemm.
//
// It has no device code: the triangle is halved recursively. The square next to the two halves is a gemm, by the
// cheapest kernel of the table, and triangles of order 256 at most are calls of the routine itself. See
// gpu/level3/blocked.h. Source: Kagstrom, Ling and Van Loan, "GEMM-based level 3 BLAS", ACM TOMS 24 (1998).
//
// Requires: trsm. Any size, stride and alignment; no workspace.
// Measured: its results on an H100, by the tests; its speed not yet.
#include "gpu/level3/blocked.h"

namespace libsgemm::cuda {

using namespace gpu;

Kernel sm75_ffma_256x256x256_blocked_trsm() { return level3::blocked_trsm_row("sm75_ffma_256x256x256_blocked_trsm"); }

}  // namespace libsgemm::cuda

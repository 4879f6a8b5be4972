// Triangular systems by the fastest gemm, without device code. The triangle is halved recursively
// (gpu/level3/blocked.h). The square next to the two halves is a gemm, by the cheapest kernel of the table, and
// triangles of order 256 at most are calls of the routine itself.
//
// Source: as sm75_ffma_256x256x256_blocked_triangle.
//
// Requires: trsm. Any size, stride and alignment; no workspace. Its speed has not been measured.
#include "gpu/level3/blocked.h"

namespace libsgemm::cuda {

using namespace gpu;

Kernel sm75_ffma_256x256x256_blocked_trsm() { return level3::blocked_trsm_row("sm75_ffma_256x256x256_blocked_trsm"); }

}  // namespace libsgemm::cuda

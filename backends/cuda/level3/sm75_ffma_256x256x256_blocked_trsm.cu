// sm75_ffma_256x256x256_blocked_trsm: triangular systems by the fastest gemm.
//
// No kernel of its own: the triangle is halved again and again; the square beside the two halves is a gemm, by the
// cheapest row of the table, and triangles of order 256 at most are calls of the routine itself. See level3_blocked.h.
// Source: Kagstrom, Ling and Van Loan, "GEMM-based level 3 BLAS", ACM TOMS 24 (1998).
//
// Requires: trsm. Any size, stride and alignment; no workspace.
// Measured: its results on an H100, by the tests; its speed not yet.
#include "level3_blocked.h"

namespace libsgemm::cuda {
namespace {

bool supports(const GemmDesc &desc, int) { return desc.routine == Routine::trsm && desc.batch != Batch::pointers; }

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  return level3::launch_recursively(desc, launch, error, enqueue);
}

double cost(const GemmDesc &desc, int index) { return level3::recursive_seconds(desc, device(index)); }

}  // namespace

Kernel sm75_ffma_256x256x256_blocked_trsm() {
  Kernel kernel = {"sm75_ffma_256x256x256_blocked_trsm", LIBSGEMM_MATH_FP32, supports, cost, nullptr, enqueue};
  kernel.in_steps = true;
  return kernel;
}

}  // namespace libsgemm::cuda

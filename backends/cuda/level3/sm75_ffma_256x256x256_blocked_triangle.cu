// sm75_ffma_256x256x256_blocked_triangle: syrk, syr2k and gemmtr by the fastest gemm.
//
// No kernel of its own: squares beside the diagonal are gemms, those of one size one strided batch, each by the
// cheapest row of the table; the blocks on the diagonal, of order 256 at most, are a batch of the routine itself.
//
//   | d       |
//   | 2 d     |      C, lower: 1 and 2 the gemms of the two levels, d the blocks on the diagonal
//   | 1 1 d   |
//   | 1 1 2 d |
//
// syr2k adds its second product by a second gemm. Source: Kagstrom, Ling and Van Loan, "GEMM-based level 3 BLAS", ACM
// TOMS 24 (1998).
//
// Requires: syrk, syr2k or gemmtr in FP32. Any size, stride and alignment; no workspace.
// Measured: its results on an H100, by the tests; its speed not yet.
#include "level3_blocked.h"

namespace libsgemm::cuda {
namespace {

// Two gemms that C accumulates are not one chain.
bool supports(const GemmDesc &desc, int) {
  if (invariant(desc) && traits_of(desc).terms() > 1) return false;
  return level3::wants_triangle(desc) && desc.type == Type::f32;
}

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  return level3::launch_squares(desc, launch, error, enqueue);
}

double cost(const GemmDesc &desc, int index) { return level3::squares_seconds(desc, device(index)); }

}  // namespace

Kernel sm75_ffma_256x256x256_blocked_triangle() {
  Kernel kernel = {"sm75_ffma_256x256x256_blocked_triangle", LIBSGEMM_MATH_FP32, supports, cost, nullptr, enqueue};
  kernel.in_steps = true;
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::cuda

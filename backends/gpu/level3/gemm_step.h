// Steps of a blocked algorithm: smaller calls, each computed by the cheapest row of this backend's own table, so that
// every faster row serves them too.
#pragma once

#include "contract/backend.h"

namespace libsgemm::gpu {

using LaunchFunction = decltype(Kernel::launch);

// Enqueues a gemm, or another routine, by the cheapest legal row with the workspace of `launch`. A strided batch is
// launched product by product where that is cheaper or the only way. `asking`: of the row whose step it is, which is
// not chosen; may be NULL. `after`: the step is the product of the whole call, after this pass of the row whose step it
// is, which Launch::ran then tells; static. NOT_SUPPORTED if there is no row.
libsgemm_status_t launch_step(const GemmDesc &desc, const Launch &launch, Error *error, LaunchFunction asking,
                              const char *after = nullptr);

// What that is predicted to take; infinite if there is no row.
double step_seconds(const GemmDesc &desc, int device, size_t workspace_bytes);

// C (m x n) = alpha * op(A) (m x k) * op(B) + beta * C in FP32, as part of `whole`: the operands are to be set.
GemmDesc gemm_step(const GemmDesc &whole, int64_t m, int64_t n, int64_t k, float alpha, float beta);

}  // namespace libsgemm::gpu

// Steps of a kernel that other kernels compute, each by the cheapest of the backend's table.
#pragma once

#include "contract/backend.h"

namespace libsgemm::gpu {

using LaunchFunction = decltype(Kernel::launch);

// Enqueues a step with the workspace of `launch`; NOT_SUPPORTED if no kernel can. A strided batch may be launched
// product by product. `asking` (may be NULL) is the launch function of the kernel whose step it is; that kernel is not
// chosen. `after` (static, may be NULL) names the pass before the step; Launch::ran then reports kernel and pass.
libsgemm_status_t launch_step(const GemmDesc &desc, const Launch &launch, Error *error, LaunchFunction asking,
                              const char *after = nullptr);

// Infinite if there is no kernel.
double step_seconds(const GemmDesc &desc, int device, size_t workspace_bytes);

// C (m x n) = alpha * op(A) (m x k) * op(B) + beta * C in FP32; the caller sets the operands.
GemmDesc gemm_step(const GemmDesc &whole, int64_t m, int64_t n, int64_t k, float alpha, float beta);

}  // namespace libsgemm::gpu

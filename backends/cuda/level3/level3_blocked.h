// trmm, trsm and the products of which a triangle is wanted, as gemm steps and small diagonal blocks.
#pragma once

#include "gemm_step.h"
#include "gpu/cost.h"
#include "runtime/device.h"

namespace libsgemm::cuda::level3 {

constexpr int64_t kLeaf = 256;  // order of a block on the diagonal, at most; calls of the routine itself

// `asking`: the launch function of the row that is being computed, see launch_step().

// trmm and trsm by halving the triangle:
//   T = [T11 0; T21 T22] (or its transposed order), X = [X1; X2];
//   trsm: X1 = alpha T11^-1 X1, X2 = alpha X2 - T21 X1, X2 = T22^-1 X2;
//   trmm: X2 = alpha T22 X2, X2 += alpha T21 X1, X1 = alpha T11 X1.
// Of a strided batch each step is one.
libsgemm_status_t launch_recursively(const GemmDesc &desc, const Launch &launch, Error *error, LaunchFunction asking);
double recursive_seconds(const GemmDesc &desc, const Device &device);

// syrk, syr2k and gemmtr: the squares beside the diagonal, the largest first, those of one size as one strided batch;
// then the blocks on the diagonal as another. Of a strided batch that is cut one call follows the other.
libsgemm_status_t launch_squares(const GemmDesc &desc, const Launch &launch, Error *error, LaunchFunction asking);
double squares_seconds(const GemmDesc &desc, const Device &device);

}  // namespace libsgemm::cuda::level3

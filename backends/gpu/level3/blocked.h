#pragma once

#include "gemm_step.h"
#include "gpu/cost.h"
#include "gpu/kernels.h"
#include "structured_problem.h"

namespace libsgemm::gpu::level3 {

constexpr int64_t kLeaf = 256;  // order of a block on the diagonal, a call of the routine itself

// trmm and trsm: triangles of at most `order`, and gemms in mode `gemms`.
struct Leaf {
  int64_t order = kLeaf;
  libsgemm_math_mode_t gemms = LIBSGEMM_MATH_FP32;
  double gemm_peak = 1;             // relative to FP32
  LaunchFunction launch = nullptr;  // launches such a triangle; NULL: the cheapest kernel of the table
  double (*seconds)(const GemmDesc &desc, int device) = panel_seconds;
};

// trmm and trsm by halving the triangle, T = [T11 0; T21 T22] (or its transposed order), X = [X1; X2]:
//   trsm: X1 = alpha T11^-1 X1, X2 = alpha X2 - T21 X1, X2 = T22^-1 X2;
//   trmm: X2 = alpha T22 X2, X2 += alpha T21 X1, X1 = alpha T11 X1.
libsgemm_status_t launch_recursively(const GemmDesc &desc, const Launch &launch, Error *error, LaunchFunction asking,
                                     const Leaf &leaf = {});
double recursive_seconds(const GemmDesc &desc, int device, const Leaf &leaf = {});

// Triangles of C: squares next to the diagonal, the largest first, those of one size as a strided batch; then
// the blocks on the diagonal as another one, by `diagonal`, or the cheapest kernel of the table if that is NULL.
libsgemm_status_t launch_squares(const GemmDesc &desc, const Launch &launch, Error *error, LaunchFunction asking,
                                 LaunchFunction diagonal = nullptr);
// `seconds` predicts a step; NULL: FP32.
double squares_seconds(const GemmDesc &desc, int device, double (*seconds)(const GemmDesc &step, int device) = nullptr);

// Blocks of one step; a smaller last block is not included.
struct DiagonalBlocks {
  int64_t order, count;
};
DiagonalBlocks diagonal_blocks(const GemmDesc &desc);

// FP32 steps without workspace, for any size, stride and alignment.
Kernel blocked_triangle_kernel(const char *name);
Kernel blocked_trmm_kernel(const char *name);
Kernel blocked_trsm_kernel(const char *name);

}  // namespace libsgemm::gpu::level3

// trmm, trsm and the products that compute a triangle of C, as gemm steps and small diagonal blocks.
#pragma once

#include "gemm_step.h"
#include "gpu/cost.h"
#include "structured_problem.h"

namespace libsgemm::gpu::level3 {

constexpr int64_t kLeaf = 256;  // largest order of a block on the diagonal, which is a call of the routine itself

// `asking`: the launch function of the kernel that is being computed, see launch_step().

// Parts into which trmm and trsm are cut: triangles of `order` at most, and gemms next to them in mode `gemms`.
struct Leaf {
  int64_t order = kLeaf;
  libsgemm_math_mode_t gemms = LIBSGEMM_MATH_FP32;
  double gemm_peak = 1;             // peak of the gemms' arithmetic, relative to FP32
  LaunchFunction launch = nullptr;  // launch function for such a triangle; NULL: the cheapest kernel of the table
  double (*seconds)(const GemmDesc &desc, int device) = panel_seconds;
};

// trmm and trsm by halving the triangle:
//   T = [T11 0; T21 T22] (or its transposed order), X = [X1; X2];
//   trsm: X1 = alpha T11^-1 X1, X2 = alpha X2 - T21 X1, X2 = T22^-1 X2;
//   trmm: X2 = alpha T22 X2, X2 += alpha T21 X1, X1 = alpha T11 X1.
// For a strided batch, each step is a strided batch.
libsgemm_status_t launch_recursively(const GemmDesc &desc, const Launch &launch, Error *error, LaunchFunction asking,
                                     const Leaf &leaf = {});
double recursive_seconds(const GemmDesc &desc, int device, const Leaf &leaf = {});

// syrk, syr2k and gemmtr: the squares next to the diagonal, the largest first, those of one size as one strided batch;
// then the blocks on the diagonal as another batch. The calls of a strided batch that is cut follow one another.
// `diagonal` launches those blocks, as calls of the routine itself; NULL: the cheapest kernel of the table.
libsgemm_status_t launch_squares(const GemmDesc &desc, const Launch &launch, Error *error, LaunchFunction asking,
                                 LaunchFunction diagonal = nullptr);
// `seconds` predicts a step, which is a gemm or a call of the routine itself; NULL: in FP32.
double squares_seconds(const GemmDesc &desc, int device, double (*seconds)(const GemmDesc &step, int device) = nullptr);

// The blocks on the diagonal that form one step; a smaller last block is not included.
struct DiagonalBlocks {
  int64_t order, count;
};
DiagonalBlocks diagonal_blocks(const GemmDesc &desc);

// Kernels of these steps only, in FP32: no workspace, any size, stride and alignment.
Kernel blocked_triangle_row(const char *name);
Kernel blocked_trmm_row(const char *name);
Kernel blocked_trsm_row(const char *name);

}  // namespace libsgemm::gpu::level3

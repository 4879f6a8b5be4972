// C = alpha op(A) op(B) + beta C on any GPU, for batches of matrices of at most 32 x 32: one warp for each product
// (batched.cuh).
//
// Source: Dong, Haidar, Tomov, Dongarra, "A Fast Batched Cholesky Factorization on a GPU" (ICPP 2014); Abdelfattah,
// Haidar, Tomov, Dongarra, "Performance, Design, and Autotuning of Batched GEMM for GPUs" (ISC 2016).
//
//   product: 32 x 32, k advances by 16      lanes: 8 x 4                thread: 4 x 8
//   block: 8 warps, 8 products              first row 4 r, column 4 c   columns in 2 groups of 4, 16 apart
//                                           r = 2 (lane / 8) + lane % 2, c = lane / 2 % 4
//
// Shared memory, bytes: product w of 8 at 4608 w: A at 0 (16 rows of 36 floats), B at 2304 (the same).
//
// Requires: gemm of FP32, m <= 32, n <= 32; any k, transposition, alignment and batch.
// Its speed has not been measured.
#include "batched.cuh"
#include "gpu/kernels.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<32, 32, 16, 4, 8, 8, 1> {
  static constexpr int products = 8;  // per block, one a warp
  static constexpr int blocks = 2;    // resident on a multiprocessor
  static constexpr double peak_fraction = 0.35;
};

}  // namespace

LIBSGEMM_BATCHED_ROW(sm75_ffma_32x32x16_batched)

}  // namespace libsgemm::cuda

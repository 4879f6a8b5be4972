// C = alpha op(A) op(B) + beta C on any GPU, for batches of matrices of at most 32 x 32 (batched.cuh).
//
// Source: Dong, Haidar, Tomov, Dongarra, "A Fast Batched Cholesky Factorization on a GPU" (ICPP 2014); Abdelfattah,
// Haidar, Tomov, Dongarra, "Performance, Design, and Autotuning of Batched GEMM for GPUs" (ISC 2016).
//
// Requires: gemm of FP32, m <= 32, n <= 32.
#include "batched.cuh"
#include "gpu/kernels.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<32, 32, 16, 4, 8, 8, 1> {
  static constexpr int products = 8;  // products of a block
  static constexpr int blocks = 2;    // resident on a multiprocessor
  static constexpr double peak_fraction = 0.35;
};

}  // namespace

LIBSGEMM_BATCHED_CODE(sm75_ffma_32x32x16_batched)

KernelList sm75_ffma_32x32x16_batched() { return batched_kernel<DeviceCode>("sm75_ffma_32x32x16_batched"); }

}  // namespace libsgemm::cuda

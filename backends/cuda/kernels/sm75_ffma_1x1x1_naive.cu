// C = alpha op(A) op(B) + beta C, on any GPU: the definition, one thread for each element of C.
//
// First step of the ladder, and the oracle on the device: an element is one chain of fused multiply-adds with k
// ascending, so that its value depends on nothing but its row of op(A), its column of op(B), alpha, beta and itself.
// Every factor comes from global memory each time that it is needed, 8 bytes for 2 flops; what is shared between the
// threads of a block is left to the caches.
//
// Source: the definition; Kirk and Hwu, "Programming Massively Parallel Processors", chapter 3.
//
//   tile of C: 32 x 8             thread: 1 x 1
//   +--------------------+        warp w computes column w of the tile, lane l its row l: a warp reads 32 neighbours
//   | warp 0: 32 rows    |        of A (NO_TRANS) in one transaction, and one element of B for all its lanes.
//   | warp 1             |
//   |   ...              |        Tiles of all products are numbered down the columns of C, product by product; block
//   | warp 7             |        b computes tiles b, b + gridDim.x, ...
//   +--------------------+
//
// Shared memory: none.
//
// Requires: gemm of FP32; any transposition, alignment, size, batch.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 4096 x 4096 x 4096 NT 4.4; cuBLAS 13.1 (FP32, the same run)
// 52.2.
#include <algorithm>
#include <climits>

#include "batch.h"
#include "cost.h"
#include "kernels.h"
#include "launch.h"

namespace libsgemm::cuda {
namespace {

struct Config {
  static constexpr int tile_m = 32, tile_n = 8, threads = tile_m * tile_n;
  static constexpr int blocks = 8;               // resident on a multiprocessor
  static constexpr double peak_fraction = 0.06;  // assumed: bound by the loads
  static constexpr double step_seconds = 25e-9;  // assumed: of one step of k where nothing hides the latency
};

// Element (i, l) of op(A) is a[i * a_row + l * a_step], element (l, j) of op(B) is b[l * b_step + j * b_column].
struct Shape {
  int64_t m, n, k;
  int64_t a_row, a_step, b_step, b_column, ldc;
  int64_t tiles_m, tiles;  // of one product
  float alpha, beta;
};

template <typename Operands>
__global__ void __launch_bounds__(Config::threads)
    sm75_ffma_1x1x1_naive_kernel(const __grid_constant__ Operands operands, const __grid_constant__ Shape s,
                                 int64_t products) {
  for (int64_t tile = blockIdx.x; tile < s.tiles * products; tile += gridDim.x) {
    const int64_t product = tile / s.tiles, at = tile % s.tiles;
    const int64_t i = at % s.tiles_m * Config::tile_m + threadIdx.x % Config::tile_m;
    const int64_t j = at / s.tiles_m * Config::tile_n + threadIdx.x / Config::tile_m;
    if (i >= s.m || j >= s.n) continue;
    const float *a = static_cast<const float *>(operands.a(product)) + i * s.a_row;
    const float *b = static_cast<const float *>(operands.b(product)) + j * s.b_column;
    float sum = 0;
    for (int64_t l = 0; l < s.k; ++l) sum = fmaf(a[l * s.a_step], b[l * s.b_step], sum);
    float *c = operands.c(product) + i + j * s.ldc;
    *c = s.beta == 0.0f ? s.alpha * sum : fmaf(s.alpha, sum, s.beta * *c);
  }
}

bool supports(const GemmDesc &desc, int) { return desc.routine == Routine::gemm && desc.type == Type::f32; }

constexpr Tiling kTiling = {Config::tile_m, Config::tile_n, Config::threads, Config::blocks, Config::peak_fraction};

double cost(const GemmDesc &desc, int index) {
  const double chain = kLaunchSeconds + static_cast<double>(desc.k) * Config::step_seconds;
  return std::max(chain, gemm_seconds(device(index), desc, kTiling));
}

libsgemm_status_t launch_naive(const GemmDesc &desc, const Launch &launch, Error *error) {
  const bool ta = desc.transa != LIBSGEMM_NO_TRANS, tb = desc.transb != LIBSGEMM_NO_TRANS;
  Shape s = {};
  s.m = desc.m, s.n = desc.n, s.k = desc.k;
  s.a_row = ta ? desc.lda : 1, s.a_step = ta ? 1 : desc.lda;
  s.b_step = tb ? desc.ldb : 1, s.b_column = tb ? 1 : desc.ldb;
  s.ldc = desc.ldc;
  s.tiles_m = (desc.m - 1) / Config::tile_m + 1;
  s.tiles = s.tiles_m * ((desc.n - 1) / Config::tile_n + 1);
  s.alpha = desc.alpha, s.beta = desc.beta;
  return for_chunks(desc, launch, INT_MAX, [&](const auto &operands, int64_t products) {
    using Operands = std::decay_t<decltype(operands)>;
    const int64_t blocks = s.tiles < INT_MAX / products ? s.tiles * products : INT_MAX;
    return launch_kernel(sm75_ffma_1x1x1_naive_kernel<Operands>, dim3(static_cast<unsigned>(blocks)),
                         dim3(Config::threads), 0, launch, error, operands, s, products);
  });
}

}  // namespace

Kernel sm75_ffma_1x1x1_naive() {
  return {"sm75_ffma_1x1x1_naive", LIBSGEMM_MATH_FP32, supports, cost, nullptr, launch_naive};
}

}  // namespace libsgemm::cuda

// C = alpha op(A) op(B) + beta C by the definition, one thread for each element, in one sequential FMA order: the
// oracle on the device. A tile is 32 x 8: a warp reads 32 neighbours of A (NO_TRANS) in one transaction, and one
// element of B for all lanes.
//
// Requires: gemm of FP32; any transposition, alignment, size, batch.
#pragma once

#include <algorithm>
#include <type_traits>

#include "contract/finish.h"
#include "gpu/batch.h"
#include "gpu/cost.h"
#include "gpu/gpu.h"
#include "gpu/kernels.h"
#include "gpu/launch.h"

namespace libsgemm::gpu {

constexpr int kNaiveRows = 32, kNaiveColumns = 8, kNaiveThreads = kNaiveRows * kNaiveColumns;

// op(A) (i, l) is a[i * a_row + l * a_step], op(B) (l, j) is b[l * b_step + j * b_column].
struct NaiveProblem {
  int64_t m, n, k;
  int64_t a_row, a_step, b_step, b_column, ldc;
  int64_t tiles_m, tiles;  // numbers for one product
  float alpha, beta;
};

template <typename Operands>
__device__ __forceinline__ void naive_tiles(const Operands &operands, const NaiveProblem &p, int64_t products) {
  for (int64_t tile = blockIdx.x; tile < p.tiles * products; tile += gridDim.x) {
    const int64_t product = tile / p.tiles, at = tile % p.tiles;
    const int64_t i = at % p.tiles_m * kNaiveRows + threadIdx.x % kNaiveRows;
    const int64_t j = at / p.tiles_m * kNaiveColumns + threadIdx.x / kNaiveRows;
    if (i >= p.m || j >= p.n) continue;
    const Global<const float> *a = global(static_cast<const float *>(operands.a(product))) + i * p.a_row;
    const Global<const float> *b = global(static_cast<const float *>(operands.b(product))) + j * p.b_column;
    float sum = 0;
    for (int64_t l = 0; l < p.k; ++l) sum = fmaf(a[l * p.a_step], b[l * p.b_step], sum);
    Global<float> *c = global(operands.c(product)) + i + j * p.ldc;
    const float x = scaled(p.alpha, sum);
    *c = p.beta == 0.0f ? x : accumulated(x, p.beta, *c);
  }
}

inline NaiveProblem naive_problem(const GemmDesc &desc) {
  const bool ta = desc.transa != LIBSGEMM_NO_TRANS, tb = desc.transb != LIBSGEMM_NO_TRANS;
  NaiveProblem p = {};
  p.m = desc.m, p.n = desc.n, p.k = desc.k;
  p.a_row = ta ? desc.lda : 1, p.a_step = ta ? 1 : desc.lda;
  p.b_step = tb ? desc.ldb : 1, p.b_column = tb ? 1 : desc.ldb;
  p.ldc = desc.ldc;
  p.tiles_m = (desc.m - 1) / kNaiveRows + 1;
  p.tiles = p.tiles_m * ((desc.n - 1) / kNaiveColumns + 1);
  p.alpha = desc.alpha, p.beta = desc.beta;
  return p;
}

inline double naive_seconds(const GemmDesc &desc, int index) {
  constexpr double kStepSeconds = 25e-9;  // assumed: a step of k with its whole latency
  constexpr double kPeakFraction = 0.06;  // assumed: bound by the loads
  constexpr Tiling kTiling = {kNaiveRows, kNaiveColumns, kNaiveThreads, 8, {kPeakFraction}};
  const double chain = kLaunchSeconds + static_cast<double>(desc.k) * kStepSeconds;
  return std::max(chain, gemm_seconds(model(index), desc, kTiling));
}

template <class DeviceCode>
Kernel naive_kernel(const char *name) {
  const auto prepare = [](const GemmDesc &desc, int index) {
    return desc.routine == Routine::gemm && desc.type == Type::f32 ? planned(naive_seconds(desc, index)) : Plan();
  };
  const auto launch_naive = [](const GemmDesc &desc, const Launch &launch, Error *error) {
    const NaiveProblem p = naive_problem(desc);
    return for_chunks(desc, launch, INT32_MAX, [&](const auto &operands, int64_t products) {
      constexpr int64_t kMostBlocks = most_blocks(kNaiveThreads);
      const int64_t blocks = p.tiles < kMostBlocks / products ? p.tiles * products : kMostBlocks;
      return launch_kernel(DeviceCode::template kernel<std::decay_t<decltype(operands)>>(),
                           dim3(static_cast<unsigned>(blocks)), dim3(kNaiveThreads), 0, launch, error, operands, p,
                           products);
    });
  };
  Kernel kernel = {name, LIBSGEMM_MATH_FP32, prepare, launch_naive};
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::gpu

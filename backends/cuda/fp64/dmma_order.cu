// Compares FP64 tensor cores with FMAs, bit by bit (dmma_order.h). Operands are FP32 numbers of 16 binary orders; in
// half of the tiles every other product nearly cancels the one before. Operands' places in lanes: dmma.cuh.
#include "dmma_order.h"

#include "dmma.cuh"
#include "runtime/launch.h"

namespace libsgemm::cuda {

using namespace gpu;

namespace {

constexpr int kThreads = 32 * kOrderWarps / kOrderBlocks;

__device__ __forceinline__ uint32_t mixed(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

__device__ __forceinline__ float number(uint32_t seed) {
  const uint32_t bits = mixed(seed);
  const float magnitude = 1.0f + static_cast<float>(bits & 0x7fffffu) * 0x1p-23f;
  const float scale = static_cast<float>(1u << mixed(bits) % 16) * 0x1p-8f;
  return bits >> 31 != 0 ? -magnitude * scale : magnitude * scale;
}

// Element k of a line of X or Y.
__device__ __forceinline__ double factor(uint32_t tile, uint32_t line, int k, bool is_x) {
  const bool cancels = tile % 2 != 0 && k % 2 != 0;
  const uint32_t seed = (tile * 32 + line) * 32 + static_cast<uint32_t>(cancels ? k - 1 : k);
  const float value = number(seed);
  if (!cancels) return static_cast<double>(value);
  return static_cast<double>(is_x ? -value : value * 1.0009765625f);
}

template <class Mma>
__device__ __forceinline__ bool adds_tile_in_order(uint32_t tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, q = lane % 4;
  constexpr uint32_t kLineOfY = 16;
  double x[Mma::groups * Mma::quads], y[Mma::quads], sum[2 * Mma::groups], chain[2 * Mma::groups];
#pragma unroll
  for (int j = 0; j < Mma::quads; ++j) {
    y[j] = factor(tile, kLineOfY + g, q + 4 * j, false);
#pragma unroll
    for (int h = 0; h < Mma::groups; ++h) x[Mma::groups * j + h] = factor(tile, g + 8 * h, q + 4 * j, true);
  }
#pragma unroll
  for (int e = 0; e < 2 * Mma::groups; ++e) {
    const uint32_t column = g + e / 2 * 8, row = 2 * q + e % 2;
    sum[e] = static_cast<double>(number(~tile * 997 + column)) * static_cast<double>(number(row));
    chain[e] = sum[e];
    for (int k = 0; k < Mma::depth; ++k) {
      chain[e] = fma(factor(tile, kLineOfY + row, k, false), factor(tile, column, k, true), chain[e]);
    }
  }
  ptx::mma_f64(sum, x, y);
  bool same = true;
#pragma unroll
  for (int e = 0; e < 2 * Mma::groups; ++e) same = same && sum[e] == chain[e];
  return same;
}

template <class Mma>
__global__ void __launch_bounds__(kThreads) dmma_order(int rounds, uint32_t *results) {
  if constexpr (Mma::exists) {
    const uint32_t warp = blockIdx.x * (kThreads / 32) + threadIdx.x / 32;
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
      wrong += adds_tile_in_order<Mma>(warp * static_cast<uint32_t>(rounds) + round) ? 0 : 1;
    }
    const bool any = __syncthreads_or(wrong) != 0;
    if (threadIdx.x == 0) global(results)[blockIdx.x] = any ? 2 : 1;
  }
}

}  // namespace

libsgemm_status_t launch_dmma_order(int rounds, uint32_t *results, const Launch &launch, Error *error) {
  auto *kernel = device(launch.device).code_arch >= M16n8k16::min_arch ? &dmma_order<M16n8k16> : &dmma_order<M8n8k4>;
  return launch_kernel(kernel, dim3(kOrderBlocks), dim3(kThreads), 0, launch, error, rounds, results);
}

}  // namespace libsgemm::cuda

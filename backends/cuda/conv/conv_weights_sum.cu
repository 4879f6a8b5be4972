// Adds the slices of a filter gradient (conv_splits.h), scales the sums back and transposes them, in tiles of 32
// channels of one tap x 32 filters.
#include "cuda/conv/splits/conv_splits.cuh"
#include "gpu/cost.h"
#include "gpu/launch.h"

namespace libsgemm::cuda {
namespace {

constexpr int kTile = 32, kRows = kPassThreads / kTile, kEach = kTile / kRows;

__global__ void __launch_bounds__(kPassThreads) conv_weights_sum(const __grid_constant__ ConvWeightsSum p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ float tile[kTile][kTile + 1];
  if (left_out(p.guard)) return;
  const int lane = static_cast<int>(threadIdx.x) % kTile, line = static_cast<int>(threadIdx.x) / kTile;
  const int first_row = static_cast<int>(blockIdx.x) * kTile, first_filter = static_cast<int>(blockIdx.y) * kTile;
  const Global<float> *from = global(p.sums) + (first_row + line) * p.ld + first_filter + lane;
  float sum[kEach] = {};
  if (first_filter + lane < p.filters.filters) {
#pragma unroll 4
    for (int s = 0; s < p.slices; ++s, from += p.slice) {
#pragma unroll
      for (int i = 0; i < kEach; ++i) sum[i] += from[i * kRows * p.ld];
    }
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) tile[line + i * kRows][lane] = sum[i];
  __syncthreads();
  const int row = first_row + lane, block = row / 64, tap = p.blocks.quotient(block);
  const int channel = (block - tap * p.blocks.value) * 64 + row % 64;
  if (channel >= p.filters.channels) return;
  const int r = p.taps_w.quotient(tap), s = tap - r * p.taps_w.value;
  const int scale = p.guard.words == nullptr ? 0 : scale_of(__ldg(p.guard.words)) + scale_of(__ldg(p.guard.words + 2));
  Global<float> *to = global(p.out) + channel * p.filters.c + r * p.filters.r + s * p.filters.s;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int filter = first_filter + line + i * kRows;
    if (filter >= p.filters.filters) break;
    Global<float> *element = to + filter * p.filters.k;
    const float v = p.alpha * unscaled(tile[lane][line + i * kRows], scale);
    *element = p.beta != 0 ? fmaf(p.beta, *element, v) : v;
  }
#endif
}

}  // namespace

libsgemm_status_t launch_conv_weights_sum(const ConvWeightsSum &sum, const Launch &launch, Error *error) {
  const dim3 grid(static_cast<unsigned>(ceil_div(sum.rows, kTile)),
                  static_cast<unsigned>(ceil_div(sum.filters.filters, kTile)));
  return launch_kernel(&conv_weights_sum, grid, dim3(kPassThreads), 0, launch, error, sum);
}

}  // namespace libsgemm::cuda

// Copy of the filters to the workspace with neighbouring channels, [k][r][s][c], one thread for each element: for data
// gradients in NCHW, which sum over filters and taps, and read across channels. In the filters' own layout taps are
// between channels, and if strides leave some taps out, each element is in a different sector of memory.
//
// Requires: a data gradient; channels that are not contiguous, a multiple of four of them in a group; a workspace of 4
// k (c / groups) r s bytes.
//
// Measured (H100, NCHW, 64 x 64 tiles): 3 x 3 of 128 channels with strides of 2, 32 x 56 x 56, 188 us; from the filters
// in place 283. More: docs/kernels/convolution.md.
#pragma once

#include "conv_pack_row.h"
#include "gpu/gpu.h"
#include "gpu/launch.h"

namespace libsgemm::gpu {

constexpr int kConvPackThreads = 256;

__device__ __forceinline__ void conv_pack_filters(const ConvPackProblem &p) {
  const int i = static_cast<int>(blockIdx.x) * kConvPackThreads + static_cast<int>(threadIdx.x);
  if (i >= p.count) return;
  int rest = i;
  const auto digit = [&rest](const Divisor &extent) {
    const int above = extent.quotient(rest), digit = rest - above * extent.value;
    rest = above;
    return digit;
  };
  const int c = digit(p.channels), s = digit(p.taps_w), r = digit(p.taps_h);
  global(p.to)[i] = global(p.from)[rest * p.from_k + c * p.from_c + r * p.from_r + s * p.from_s];
}

inline libsgemm_status_t enqueue_conv_pack(void (*kernel)(ConvPackProblem), const ConvPackProblem &p,
                                           const Launch &launch, Error *error) {
  const dim3 grid(static_cast<unsigned>((p.count - 1) / kConvPackThreads + 1));
  return launch_kernel(kernel, grid, dim3(kConvPackThreads), 0, launch, error, p);
}

}  // namespace libsgemm::gpu

// Copies the filters with neighbouring channels, [k][r][s][c], for data gradients in NCHW. In the filters' own layout
// taps are between channels, and with strides each element is in another sector of memory. Figures:
// docs/kernels/convolution.md.
//
// Requires: a data gradient; channels that are not contiguous, a multiple of four in a group; a workspace of 4 k (c /
// groups) r s bytes.
#pragma once

#include "conv_pack_kernel.h"
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

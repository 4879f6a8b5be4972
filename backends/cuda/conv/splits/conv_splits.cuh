// The guards of conv_splits.h on the device.
#pragma once

#include "conv_splits.h"
#include "gpu/splits/splits_pass.h"

namespace libsgemm::cuda {

// True if the guard leaves tile (`pixels`, `filters`) to FP64, because of one of its images or filters.
__device__ __forceinline__ bool left_out(const ConvGuard &g, int pixels, int filters) {
  const int first = g.pixels.quotient(pixels * kOuterPad);
  const int last = min(g.pixels.quotient(pixels * kOuterPad + kOuterPad - 1), g.images - 1);
  const uint32_t of_filters = __ldg(g.filters + filters);
  for (int n = first; n <= last; ++n) {
    const uint32_t most = __ldg(g.most + n);
    if (needs_ffma(most, of_filters, g.log2_k)) return true;
    if (g.most_excess < 0) continue;
    if (static_cast<int>(excess_of(most, __ldg(g.least + n)) + __ldg(g.excess + filters)) > g.most_excess) return true;
  }
  return false;
}

__device__ __forceinline__ bool left_out(const ConvWeightsGuard &g) {
  if (g.words == nullptr) return false;
  const uint32_t most_x = __ldg(g.words), most_y = __ldg(g.words + 2);
  if (needs_ffma(most_x, most_y, g.log2_k)) return true;
  if (g.most_excess < 0) return false;
  return static_cast<int>(excess_of(most_x, __ldg(g.words + 1)) + excess_of(most_y, __ldg(g.words + 3))) >
         g.most_excess;
}

}  // namespace libsgemm::cuda

// Adds the slices of a convolution that is split along its sum.
#pragma once

#include "conv_kernel.h"
#include "gpu/tiles/split_k_sum.h"

namespace libsgemm::gpu {

// Real: type of the partial results.
template <typename Real>
__device__ __forceinline__ void sum_conv_slices(const ConvProblem &p, int slices) {
  sum_slices_to<Real>(
      p.product, slices, [](int64_t) { return true; },
      [&](int64_t row, int64_t column) {
        return global(p.c.data) + blockIdx.z * p.c.group + place_of(p.row, p.c.row, static_cast<int>(row)) +
               place_of(p.column, p.c.column, static_cast<int>(column));
      });
}

inline libsgemm_status_t enqueue_conv_sum(void (*kernel)(ConvProblem, int), const ConvProblem &p, int slices,
                                          int64_t groups, const Launch &launch, Error *error) {
  const SumGrid at(p.product, slices, groups);
  return launch_kernel(kernel, at.grid, at.block, 0, launch, error, p, slices);
}

}  // namespace libsgemm::gpu

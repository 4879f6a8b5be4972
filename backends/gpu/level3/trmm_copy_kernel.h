// Device code of the copy of C for trmm (trmm_copy.h).
#pragma once

#include "gpu/gpu.h"
#include "gpu/launch.h"
#include "trmm_copy.h"

namespace libsgemm::gpu::level3 {

struct CopyProblem {
  int64_t m, n, ld, target_ld;
  int64_t stride;  // distance of products
  unsigned tiles;  // number for one product
};

__device__ __forceinline__ void copy_tile(const float *from, float *to, const CopyProblem &p) {
  const int64_t row_tiles = (p.m + kCopyRows - 1) / kCopyRows, item = blockIdx.x / p.tiles;
  const unsigned tile = blockIdx.x % p.tiles;
  const int64_t row = tile % row_tiles * kCopyRows + threadIdx.x;
  const int64_t first_column = tile / row_tiles * kCopyColumns + threadIdx.y;
  const Global<const float> *source = global(from) + item * p.stride;
  Global<float> *target = global(to) + item * p.target_ld * p.n;
#pragma unroll
  for (int j = 0; j < kCopyColumns; j += kCopyColumnsAtOnce) {
    const int64_t column = first_column + j;
    if (row < p.m && column < p.n) target[row + column * p.target_ld] = source[row + column * p.ld];
  }
}

inline libsgemm_status_t enqueue_copy(void (*kernel)(const float *, float *, CopyProblem), const GemmDesc &desc,
                                      const Launch &launch, Error *error) {
  const int64_t tiles = copy_tiles(desc);
  const CopyProblem p = {desc.m, desc.n, desc.ldc, copy_ld(desc), desc.stride_c, static_cast<unsigned>(tiles)};
  return launch_kernel(kernel, dim3(static_cast<unsigned>(tiles * desc.batch_count)),
                       dim3(kCopyRows, kCopyColumnsAtOnce), 0, launch, error, static_cast<const float *>(desc.c),
                       static_cast<float *>(launch.workspace), p);
}

}  // namespace libsgemm::gpu::level3

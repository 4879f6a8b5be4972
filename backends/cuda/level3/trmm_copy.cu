// The kernel of trmm_copy.h: 32 x 8 threads copy 32 rows x 64 columns.
#include "trmm_copy.h"

#include "gpu/cost.h"
#include "runtime/device.h"
#include "runtime/launch.h"

namespace libsgemm::cuda::level3 {
namespace {

constexpr int kRows = 32, kColumns = 64, kColumnsAtOnce = 8;

__global__ void __launch_bounds__(kRows *kColumnsAtOnce)
    trmm_copy(const float *source, int64_t ld, int64_t stride, float *target, int64_t target_ld, int64_t m, int64_t n,
              unsigned tiles) {
  const int64_t row_tiles = (m + kRows - 1) / kRows, item = blockIdx.x / tiles;
  const unsigned tile = blockIdx.x % tiles;
  const int64_t row = tile % row_tiles * kRows + threadIdx.x;
  const int64_t first_column = tile / row_tiles * kColumns + threadIdx.y;
  source += item * stride;
  target += item * target_ld * n;
#pragma unroll
  for (int j = 0; j < kColumns; j += kColumnsAtOnce) {
    const int64_t column = first_column + j;
    if (row < m && column < n) target[row + column * target_ld] = source[row + column * ld];
  }
}

int64_t copy_ld(const GemmDesc &desc) { return ceil_div(desc.m, 4) * 4; }

// Blocks that copy one C.
int64_t tiles_of(const GemmDesc &desc) { return ceil_div(desc.m, kRows) * ceil_div(desc.n, kColumns); }

}  // namespace

size_t copy_bytes(const GemmDesc &desc, int) {
  return static_cast<size_t>(copy_ld(desc)) * static_cast<size_t>(desc.n) * static_cast<size_t>(desc.batch_count) *
         sizeof(float);
}

bool copy_fits(const GemmDesc &desc) { return desc.batch_count <= INT32_MAX / tiles_of(desc); }

double copy_seconds(const GemmDesc &desc, int index) {
  return kLaunchSeconds + memory_seconds(device(index), 2.0 * static_cast<double>(copy_bytes(desc, index)));
}

libsgemm_status_t launch_copy(const GemmDesc &desc, const Launch &launch, Error *error) {
  const int64_t tiles = tiles_of(desc);
  return launch_kernel(trmm_copy, dim3(static_cast<unsigned>(tiles * desc.batch_count)), dim3(kRows, kColumnsAtOnce), 0,
                       launch, error, static_cast<const float *>(desc.c), desc.ldc, desc.stride_c,
                       static_cast<float *>(launch.workspace), copy_ld(desc), desc.m, desc.n,
                       static_cast<unsigned>(tiles));
}

GemmDesc with_copy(const GemmDesc &desc, const void *copy) {
  GemmDesc d = desc;
  d.b = copy;
  d.ldb = copy_ld(desc);
  d.stride_b = d.ldb * desc.n;
  return d;
}

}  // namespace libsgemm::cuda::level3

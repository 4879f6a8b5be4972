#include "trmm_copy.h"

#include "gpu/cost.h"

namespace libsgemm::gpu::level3 {

int64_t copy_ld(const GemmDesc &desc) { return ceil_div(desc.m, 4) * 4; }

int64_t copy_tiles(const GemmDesc &desc) { return ceil_div(desc.m, kCopyRows) * ceil_div(desc.n, kCopyColumns); }

size_t copy_bytes(const GemmDesc &desc, int) {
  return static_cast<size_t>(copy_ld(desc)) * static_cast<size_t>(desc.n) * static_cast<size_t>(desc.batch_count) *
         sizeof(float);
}

bool copy_fits(const GemmDesc &desc) {
  return desc.batch_count <= most_blocks(kCopyRows * kCopyColumnsAtOnce) / copy_tiles(desc);
}

double copy_seconds(const GemmDesc &desc, int index) {
  return kLaunchSeconds + memory_seconds(model(index), 2.0 * static_cast<double>(copy_bytes(desc, index)));
}

GemmDesc with_copy(const GemmDesc &desc, const void *copy) {
  GemmDesc d = desc;
  d.b = copy;
  d.ldb = copy_ld(desc);
  d.stride_b = d.ldb * desc.n;
  return d;
}

}  // namespace libsgemm::gpu::level3

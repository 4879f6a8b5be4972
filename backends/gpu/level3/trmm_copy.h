// trmm reads C from a dense copy in the workspace, whose columns start at multiples of 16 bytes.
#pragma once

#include "gpu/batch.h"

namespace libsgemm::gpu::level3 {

size_t copy_bytes(const GemmDesc &desc, int device);
// True if one launch can make the copy.
bool copy_fits(const GemmDesc &desc);
double copy_seconds(const GemmDesc &desc, int device);
// Each backend defines it by trmm_copy_kernel.h.
libsgemm_status_t launch_copy(const GemmDesc &desc, const Launch &launch, Error *error);
// The call with the copy as operand B.
GemmDesc with_copy(const GemmDesc &desc, const void *copy);

// A block's share.
constexpr int kCopyRows = 32, kCopyColumns = 64, kCopyColumnsAtOnce = 8;

// Distance between columns of the copy; blocks that copy one C.
int64_t copy_ld(const GemmDesc &desc);
int64_t copy_tiles(const GemmDesc &desc);

}  // namespace libsgemm::gpu::level3

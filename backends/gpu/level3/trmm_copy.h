// trmm from a copy of C: a dense copy in the workspace, whose columns start at multiples of 16 bytes.
#pragma once

#include "gpu/batch.h"

namespace libsgemm::gpu::level3 {

// Bytes of workspace.
size_t copy_bytes(const GemmDesc &desc, int device);
// True if the blocks of one launch can make the copy.
bool copy_fits(const GemmDesc &desc);
double copy_seconds(const GemmDesc &desc, int device);
// Enqueues the copy into the launch's workspace. Each backend defines it, by trmm_copy_kernel.h.
libsgemm_status_t launch_copy(const GemmDesc &desc, const Launch &launch, Error *error);
// Returns the description with the copy as its B.
GemmDesc with_copy(const GemmDesc &desc, const void *copy);

// A block copies kCopyRows x kCopyColumns elements by kCopyRows x kCopyColumnsAtOnce threads.
constexpr int kCopyRows = 32, kCopyColumns = 64, kCopyColumnsAtOnce = 8;

// Distance between columns of the copy, and the number of blocks that copy one C.
int64_t copy_ld(const GemmDesc &desc);
int64_t copy_tiles(const GemmDesc &desc);

}  // namespace libsgemm::gpu::level3

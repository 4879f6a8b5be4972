// trmm from a copy of C: the dense copy in the workspace, whose columns start at multiples of 16 bytes.
#pragma once

#include "backend.h"

namespace libsgemm::cuda::level3 {

// Bytes of workspace.
size_t copy_bytes(const GemmDesc &desc, int device);
// Whether the blocks of a launch can copy it.
bool copy_fits(const GemmDesc &desc);
double copy_seconds(const GemmDesc &desc, int device);
// Enqueues the copy into the launch's workspace.
libsgemm_status_t launch_copy(const GemmDesc &desc, const Launch &launch, Error *error);
// The description with the copy as its B.
GemmDesc with_copy(const GemmDesc &desc, const void *copy);

}  // namespace libsgemm::cuda::level3

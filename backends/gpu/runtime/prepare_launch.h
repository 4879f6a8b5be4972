#pragma once

#include "contract/backend.h"
#include "scope.h"

namespace libsgemm::gpu {

// Makes the device current. Loads the kernel while a graph is recorded, and in a rehearsal, which ends here. Otherwise
// the first launch loads it, and may wait for the device.
libsgemm_status_t prepare_launch(const void *kernel, const Launch &launch, Scope *scope, Error *error);

constexpr const char *kLaunching = "launching a kernel";

}  // namespace libsgemm::gpu

// Preparation of every kernel launch.
#pragma once

#include "contract/backend.h"
#include "scope.h"

namespace libsgemm::gpu {

// Makes the device current. Loads the kernel if a graph is being recorded, or in a rehearsal, which ends here;
// otherwise its first launch does, which may wait for the device.
libsgemm_status_t prepare_launch(const void *kernel, const Launch &launch, Scope *scope, Error *error);

constexpr const char *kLaunching = "launching a kernel";

}  // namespace libsgemm::gpu

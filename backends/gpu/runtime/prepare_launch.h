// Preparation of every kernel launch.
#pragma once

#include "contract/backend.h"
#include "scope.h"

namespace libsgemm::gpu {

// Makes the launch's device current. Loads the kernel if a graph is being recorded or in a rehearsal, which ends here.
// Otherwise the runtime loads it at its first launch, which may wait for the device.
libsgemm_status_t prepare_launch(const void *kernel, const Launch &launch, Scope *scope, Error *error);

constexpr const char *kLaunching = "launching a kernel";  // for status_of()

}  // namespace libsgemm::gpu

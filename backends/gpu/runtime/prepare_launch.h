// What precedes every launch of a kernel.
#pragma once

#include "contract/backend.h"
#include "scope.h"

namespace libsgemm::gpu {

// Enters the device of the launch, and loads the kernel if a graph is being recorded, or in a rehearsal, which ends
// with that: otherwise that is done at its first launch, and may then wait for the device.
libsgemm_status_t prepare_launch(const void *kernel, const Launch &launch, Scope *scope, Error *error);

constexpr const char *kLaunching = "launching a kernel";  // for status_of()

}  // namespace libsgemm::gpu

// What this backend adds to gpu/launch.h.
#pragma once

#include <hip/hip_runtime.h>

#include "gpu/launch.h"

namespace libsgemm::hip {

using namespace gpu;

// Writes what went wrong into `error`, clears the runtime's last error, and returns the status that it means.
libsgemm_status_t failure(hipError_t code, const char *what, Error *error);

}  // namespace libsgemm::hip

// Which devices of a backend compute what is in host memory.
#pragma once

#include <vector>

#include "backend.h"

namespace libsgemm {

// The one to begin with comes first. LIBSGEMM_OFFLOAD_DEVICES says how many; a process that MPI has started beside
// others on this host takes one alone, by its rank among them.
std::vector<int> offload_devices(const Backend &backend);

}  // namespace libsgemm

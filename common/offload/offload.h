// Host memory in, host memory out, computed on a GPU.
#pragma once

#include "backend.h"

namespace libsgemm {

// Computes a description whose operands are in host memory on the devices of a backend. On failure C is as it was; or,
// with `may_spoil`, it is undefined if the description does not read it, and no copy of C is needed. `kernel` NULL: the
// cheapest for each tile; otherwise it is forced. Reports a row that ran, and the device, the first of several.
libsgemm_status_t offload(const Backend &backend, const GemmDesc &desc, bool may_spoil, const Kernel **kernel,
                          int *device, Error *error);

// Before the process forks, with no call at work: ends the host threads.
void stop_offload_threads();

}  // namespace libsgemm

// Which devices of a backend compute what is in host memory.
#pragma once

#include <vector>

#include "contract/backend.h"

namespace libsgemm {

// The one to begin with comes first, and all are equal to it: the same rows, which add in the same order, are chosen on
// each. So it does not show in a result who computed which part. LIBSGEMM_OFFLOAD_DEVICES says how many; a process that
// MPI has started beside others on this host takes one alone, by its rank among them.
std::vector<int> offload_devices(const Backend &backend);

// A device that did not answer in time is given up, for all calls: the backend refuses it from now on, so that nobody
// can wait for what it still does.
void abandon_device(const Backend &backend, int device);
bool is_abandoned(const Backend &backend, int device);

// Tells once of each device that failed while others go on in its place; then only in the log.
void tell_of_failure(const Backend &backend, int device, const Error &error);

}  // namespace libsgemm

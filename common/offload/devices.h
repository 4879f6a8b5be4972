// Which devices of a backend compute what is in host memory.
#pragma once

#include <vector>

#include "contract/backend.h"

namespace libsgemm {

// Returns the devices that share a call, the one to begin with first. All are equal to it: each chooses the same
// kernels, which add in the same order, so a result does not show which device computed which part.
// LIBSGEMM_OFFLOAD_DEVICES sets their number; the default is all, or one in a process that MPI started. Such a process
// begins with the device of its rank on this host.
std::vector<int> offload_devices(const Backend &backend);

// Gives up a device that did not answer in time, for all calls: the backend refuses it from now on, so that no thread
// can wait for what it still does.
void abandon_device(const Backend &backend, int device);
bool is_abandoned(const Backend &backend, int device);

// Reports the first failure of a device whose part other devices compute; later ones only at log level 2.
void tell_of_failure(const Backend &backend, int device, const Error &error);

}  // namespace libsgemm

// The devices of a backend that compute what is in host memory.
#pragma once

#include <vector>

#include "contract/backend.h"

namespace libsgemm {

// The devices that share a call, the first one first. All are equal to it: they choose the same kernels, which add in
// the same order, so a result does not show which device computed which part. LIBSGEMM_OFFLOAD_DEVICES sets their
// number; the default is all, but one in a process that MPI started, which begins with the device of its rank on this
// host.
std::vector<int> offload_devices(const Backend &backend);

// Gives up a device that did not answer in time, for all calls: the backend refuses it from now on, so no thread waits
// for what it still does.
void abandon_device(const Backend &backend, int device);
bool is_abandoned(const Backend &backend, int device);

// The first failure of a device whose part others compute; later ones only at log level 2.
void tell_of_failure(const Backend &backend, int device, const Error &error);

}  // namespace libsgemm

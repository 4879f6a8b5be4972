// The devices that compute with host memory.
#pragma once

#include <vector>

#include "contract/backend.h"

namespace libsgemm {

// The devices that share a call: equal ones, so that a result does not depend on the device. LIBSGEMM_OFFLOAD_DEVICES
// sets their number, by default all; under MPI the device of the process's rank.
std::vector<int> offload_devices(const Backend &backend);

// The backend refuses the device to all calls from now on: no thread waits for its work.
void abandon_device(const Backend &backend, int device);
bool is_abandoned(const Backend &backend, int device);

void tell_of_failure(const Backend &backend, int device, const Error &error);

}  // namespace libsgemm

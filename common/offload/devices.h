// The devices that compute what is in host memory.
#pragma once

#include <vector>

#include "contract/backend.h"

namespace libsgemm {

// The devices that share a call, the first one first. The others equal it: they choose the same kernels, so a result
// does not show which device computed which part. LIBSGEMM_OFFLOAD_DEVICES sets their number; the default is all, but
// one in a process that MPI started, which begins with the device of its rank.
std::vector<int> offload_devices(const Backend &backend);

// For all calls: the backend refuses the device from now on, so no thread waits for what it still does.
void abandon_device(const Backend &backend, int device);
bool is_abandoned(const Backend &backend, int device);

// Reports the first failure of a device; later ones only at log level 2.
void tell_of_failure(const Backend &backend, int device, const Error &error);

}  // namespace libsgemm

// The backend's devices: those of the runtime that LIBSGEMM_DEVICES permits and for which there is code. An index
// counts these; an ordinal is the runtime's number.
#pragma once

#include "contract/backend.h"

namespace libsgemm::gpu {

// Sets the host's settings that enumerate() reads, and keeps a pointer to them. Call it before all other functions
// here.
void set_host(const Host &host);

// Builds the list of the backend's devices at the first call; later calls return the same result. Thread-safe.
libsgemm_status_t enumerate(Error *error);

// The functions below are valid only after enumerate().
int device_count();

// Returns the index of device `ordinal`; -1 if it was left out.
int index_of(int ordinal);

// Says what was left out and why; empty if nothing was.
const char *left_out();

// Each backend defines these two for enumerate(). count_devices(): number of devices that the runtime shows; an error
// if there is none. take_device(): keeps a description of the device for model() as the backend's next one, or returns
// false and the reason.
libsgemm_status_t count_devices(int *count, Error *error);
bool take_device(int ordinal, Error *why_not);

}  // namespace libsgemm::gpu

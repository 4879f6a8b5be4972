// Devices that LIBSGEMM_DEVICES permits and for which there is code. An index counts these; an ordinal is the runtime's
// number.
#pragma once

#include "contract/backend.h"

namespace libsgemm::gpu {

// Keeps a pointer to the settings that enumerate() reads. Must be called first.
void set_host(const Host &host);

// Builds the list at the first call. Thread-safe.
libsgemm_status_t enumerate(Error *error);

// These require enumerate().
int device_count();

// -1: left out.
int index_of(int ordinal);

// Reasons for devices left out; may be empty.
const char *left_out();

// Each backend defines these for enumerate(). count_devices() fails if there is none. take_device() adds a device to
// those of model(index), or returns false and the reason.
libsgemm_status_t count_devices(int *count, Error *error);
bool take_device(int ordinal, Error *why_not);

}  // namespace libsgemm::gpu

// Which of the runtime's devices the backend has: those that LIBSGEMM_DEVICES permits and for which there is code. An
// index counts these, an ordinal is the runtime's number.
#pragma once

#include "contract/backend.h"

namespace libsgemm::gpu {

// What enumerate() is to consider. Before all others.
void set_host(const Host &host);

// Takes the devices of the backend from those that the runtime shows and the host permits. Once; later calls repeat the
// answer.
libsgemm_status_t enumerate(Error *error);

// The rest only after enumerate().
int device_count();

// The index of device `ordinal`; -1 if it was left out.
int index_of(int ordinal);

// What was left out and why; empty if nothing.
const char *left_out();

// Each backend defines these two, for enumerate(): how many devices the runtime shows, none being an error; and the
// next device of the backend, which is described and kept for model(), or refused with the reason.
libsgemm_status_t count_devices(int *count, Error *error);
bool take_device(int ordinal, Error *why_not);

}  // namespace libsgemm::gpu

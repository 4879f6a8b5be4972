// What the backend knows of its devices. Filled once, by enumerate(), constant after it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend.h"
#include "gpu/device_model.h"

namespace libsgemm::cuda {

using namespace gpu;

struct Device : DeviceModel {
  int ordinal;  // CUDA's number of the device
  int arch;     // 10 * major + minor of the compute capability: 90
  int64_t l2_bytes;
  size_t memory_bytes;
  char name[96];
};

// `index` counts the devices of the backend, after LIBSGEMM_DEVICES. Only after enumerate().
const Device &device(int index);
int device_count();

// The index of CUDA's device `ordinal`; -1 if LIBSGEMM_DEVICES or the lack of code for it leaves it out.
int index_of(int ordinal);

// Takes the devices of the backend from those that the driver shows and `host` permits. The driver must have been
// initialised, by us or by the program; makes no context. Once; later calls repeat the answer.
libsgemm_status_t enumerate(Error *error);

// What enumerate() is to consider. Before all others.
void set_host(const Host &host);

// What enumerate() left out and why; empty if nothing.
const char *left_out();

}  // namespace libsgemm::cuda

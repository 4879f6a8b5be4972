// What the backend knows of its devices. Filled once, by enumerate(), constant after it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend.h"

namespace libsgemm::cuda {

struct Device {
  int ordinal;  // CUDA's number of the device
  int arch;     // 10 * major + minor of the compute capability: 90
  int multiprocessors;
  int ffma_per_clock;  // FP32 fused multiply-adds of one multiprocessor and clock
  int64_t l2_bytes;
  size_t shared_memory_per_block;  // the opt-in limit
  double clock;                    // of the multiprocessors, Hz
  double memory_bandwidth;         // bytes/s, of the data sheet: twice the memory clock times the bus width
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

// Properties of a device for the shared code. A backend's own Device adds to them.
#pragma once

#include <cstddef>

namespace libsgemm::gpu {

struct DeviceModel {
  int compute_units;        // NVIDIA: multiprocessors
  int schedulers;           // schedulers of a compute unit; AMD: SIMDs
  int wave;                 // threads in lock step
  int fma_per_clock;        // FP32 FMAs per compute unit, also packed and dual ones
  double clock;             // Hz
  double memory_bandwidth;  // bytes/s, data sheet
  size_t shared_memory_per_block;

  int ordinal;  // the runtime's number
  size_t memory_bytes;
  char name[96];
  char arch_name[32];  // "sm_90", "gfx90a"
};

// Each backend defines it.
const DeviceModel &model(int index);

}  // namespace libsgemm::gpu

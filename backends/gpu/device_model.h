// Properties of a device that the shared code uses. A backend's own Device adds to them.
#pragma once

#include <cstddef>

namespace libsgemm::gpu {

struct DeviceModel {
  int compute_units;        // NVIDIA: multiprocessors
  int schedulers;           // schedulers of a compute unit, each with its own waves; AMD: SIMDs
  int wave;                 // threads that execute in lock step
  int fma_per_clock;        // FP32 fused multiply-adds per compute unit and clock, including packed and dual ones
  double clock;             // clock rate of the compute units, Hz
  double memory_bandwidth;  // bytes/s, from the data sheet
  size_t shared_memory_per_block;

  int ordinal;  // the runtime's number of the device
  size_t memory_bytes;
  char name[96];
  char arch_name[32];  // "sm_90", "gfx90a"
};

// Returns the device with this index in the backend's table. Each backend defines it.
const DeviceModel &model(int index);

}  // namespace libsgemm::gpu

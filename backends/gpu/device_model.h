// What the shared code knows of a device. A backend's own Device adds to it.
#pragma once

#include <cstddef>

namespace libsgemm::gpu {

struct DeviceModel {
  int compute_units;        // NVIDIA: multiprocessors
  int schedulers;           // of a compute unit, each with waves of its own; AMD: SIMDs
  int wave;                 // threads that execute as one
  int fma_per_clock;        // FP32 fused multiply-adds of one compute unit and clock, packed and dual ones too
  double clock;             // of the compute units, Hz
  double memory_bandwidth;  // bytes/s, of the data sheet
  size_t shared_memory_per_block;

  int ordinal;  // the runtime's number of the device
  size_t memory_bytes;
  char name[96];
  char arch_name[32];  // "sm_90", "gfx90a"
};

// The device with this index in the backend's table. Each backend defines it.
const DeviceModel &model(int index);

}  // namespace libsgemm::gpu

#pragma once

#include <cstddef>

namespace libsgemm::gpu {

struct DeviceModel {
  int compute_units;        // NVIDIA: multiprocessors
  int schedulers;           // AMD: SIMDs of a compute unit
  int wave;                 // threads in lock step
  int fma_per_clock;        // FP32 FMAs per compute unit, packed and dual ones included
  double clock;             // Hz
  double memory_bandwidth;  // bytes/s, data sheet
  size_t shared_memory_per_block;

  int ordinal;  // the runtime's number
  size_t memory_bytes;
  char name[96];
  char arch_name[32];  // "sm_90", "gfx90a"
};

const DeviceModel &model(int index);

}  // namespace libsgemm::gpu

// Devices that are not present, for programs that ask kernels about them.
#pragma once

#include <cstdio>

#include "device.h"

namespace libsgemm::hip {

// `clock` in Hz, `bandwidth` in bytes/s.
inline Device by_data_sheet(const char *name, const char *arch, int compute_units, double clock, double bandwidth) {
  const Chips &chips = chips_of(arch);
  Device d = {};
  std::snprintf(d.name, sizeof d.name, "%s", name);
  std::snprintf(d.arch_name, sizeof d.arch_name, "%s", arch);
  std::snprintf(d.code_name, sizeof d.code_name, "%s", arch);
  d.family = chips.family;
  d.wave = chips.wave;
  d.schedulers = chips.schedulers;
  d.fma_per_clock = chips.fma_per_clock;
  d.compute_units = compute_units;
  d.shared_memory_per_block = 64 << 10;  // kernels use no more
  d.clock = clock;
  d.memory_bandwidth = bandwidth;
  return d;
}

}  // namespace libsgemm::hip

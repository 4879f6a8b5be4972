// FMAs per multiprocessor and clock, which the driver does not report.
#pragma once

#include <cstring>

#include "device.h"

namespace libsgemm::cuda {

inline void set_throughputs(Device *d) {
  // From the programming guide's table of throughputs.
  d->fma_per_clock = d->arch <= 80 ? 64 : 128;
  // An estimate above sm_90: the full rate of newer architectures needs other instructions.
  d->tensor_per_clock = d->arch == 80 ? 1024 : d->arch >= 90 && d->arch < 120 ? 1280 : 512;
  d->wgmma_per_clock = d->arch == 90 ? 2048 : 0;
  const auto named = [d](const char *chip) { return std::strstr(d->name, chip) != nullptr; };
  const bool ampere = d->arch == 80 && (named("A100") || named("A800") || named("A30"));
  const bool hopper = d->arch == 90 && (named("H100") || named("H200"));
  d->fp64_tensor_per_clock = ampere || hopper ? d->fma_per_clock : 2;
}

}  // namespace libsgemm::cuda

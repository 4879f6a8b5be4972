// What a multiprocessor does in a clock, by architecture and name: the driver does not say.
#pragma once

#include <cstring>

#include "device.h"

namespace libsgemm::cuda {

// Sets the throughputs of a device whose arch and name are known.
inline void set_throughputs(Device *d) {
  // Of the programming guide's table of throughputs.
  d->fma_per_clock = d->arch <= 80 ? 64 : 128;
  // The same of the tensor cores. Of sm_90 it is what mma.sync reaches, of newer ones an estimate: their full rate
  // needs other instructions, on sm_90 wgmma.
  d->tensor_per_clock = d->arch == 80 ? 1024 : d->arch >= 90 && d->arch < 120 ? 1280 : 512;
  d->wgmma_per_clock = d->arch == 90 ? 2048 : 0;
  // The same of FP64: of the chips made for it as many as FP32, of all others few.
  const auto named = [d](const char *chip) { return std::strstr(d->name, chip) != nullptr; };
  const bool ampere = d->arch == 80 && (named("A100") || named("A800") || named("A30"));
  const bool hopper = d->arch == 90 && (named("H100") || named("H200"));
  d->fp64_tensor_per_clock = ampere || hopper ? d->fma_per_clock : 2;
}

}  // namespace libsgemm::cuda

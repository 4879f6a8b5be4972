// Finds out what kernels compute, by asking them.
#pragma once

#include "backend.h"

namespace libsgemm {

// The devices must be known. Routines and types are those of the calls tried that the kernel supports on some device.
void describe_kernel(const Backend &backend, const Kernel &kernel, libsgemm_kernel_info_t *info);

}  // namespace libsgemm

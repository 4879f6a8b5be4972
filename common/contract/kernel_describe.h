// Finds what the kernels of a backend compute, by asking them.
#pragma once

#include "backend.h"

namespace libsgemm {

// Fills *info for a kernel of a backend whose devices are known. Routines and types are those of the calls, of many
// sizes and kinds, that it supports on some device.
void describe_kernel(const Backend &backend, const Kernel &kernel, libsgemm_kernel_info_t *info);

}  // namespace libsgemm

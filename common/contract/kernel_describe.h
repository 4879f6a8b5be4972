// Tries calls to find what a kernel computes.
#pragma once

#include "backend.h"

namespace libsgemm {

// The devices must be known.
void describe_kernel(const Backend &backend, const Kernel &kernel, libsgemm_kernel_info_t *info);

}  // namespace libsgemm

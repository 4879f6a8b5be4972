// What the rows of a backend's kernel table compute, found by asking them.
#pragma once

#include "backend.h"

namespace libsgemm {

// Fills *info for a row of a backend whose devices are known: routines and types are those of calls, of many sizes and
// kinds, of which some device supports one.
void describe_kernel(const Backend &backend, const Kernel &kernel, libsgemm_kernel_info_t *info);

}  // namespace libsgemm

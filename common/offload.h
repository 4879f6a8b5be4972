// Host memory in, host memory out, computed on a GPU.
#pragma once

#include "backend.h"

namespace libsgemm {

// Computes a description whose operands are in host memory on `device`: copy up, launch, copy down, wait. C is written
// last and only if everything before succeeded, so on failure it is as it was. `kernel` NULL: the cheapest for each
// product. Reports the row that ran.
libsgemm_status_t offload(const Backend &backend, const GemmDesc &desc, int device, const Kernel **kernel,
                          Error *error);

}  // namespace libsgemm

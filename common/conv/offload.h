// Convolutions of host memory on a GPU.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

bool computes_convolutions(const Backend &backend);

// Computes a convolution of host memory on the first device. NOT_SUPPORTED: no kernel. On failure the output is
// unmodified. `forced` NULL: the cheapest kernel.
libsgemm_status_t offload_conv(const Backend &backend, const ConvDesc &desc, const Kernel *forced, const Kernel **ran,
                               Error *error);

}  // namespace libsgemm

// A convolution of tensors in host memory on a GPU.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// True if a backend has any kernel for convolutions.
bool computes_convolutions(const Backend &backend);

// Copies the inputs to the first device of a backend, computes there, and copies the result back, one after the other.
// NOT_SUPPORTED: no kernel can do it. On failure the output is not modified. `forced` NULL: runs the cheapest kernel
// and returns it in *ran.
libsgemm_status_t offload_conv(const Backend &backend, const ConvDesc &desc, const Kernel *forced, const Kernel **ran,
                               Error *error);

}  // namespace libsgemm

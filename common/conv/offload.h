// A convolution of tensors in host memory on a GPU.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

bool computes_convolutions(const Backend &backend);

// Copies the inputs to a backend's first device, computes, copies back, one after the other. NOT_SUPPORTED: no kernel.
// On failure the output is unmodified. `forced` NULL: the cheapest kernel runs. *ran: the kernel.
libsgemm_status_t offload_conv(const Backend &backend, const ConvDesc &desc, const Kernel *forced, const Kernel **ran,
                               Error *error);

}  // namespace libsgemm

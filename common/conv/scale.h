// beta times the output of a convolution, in memory of a device.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// By Backend::scale, which knows matrices: in as few launches as the steps of the tensor allow.
libsgemm_status_t scale_output(const Backend &table, const ConvDesc &desc, const Launch &launch, Error *error);

}  // namespace libsgemm

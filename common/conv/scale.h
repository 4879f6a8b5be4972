// Multiplies the output of a convolution in device memory by beta.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// Uses Backend::scale, which knows only matrices, with as few launches as the steps of the tensor allow.
libsgemm_status_t scale_output(const Backend &table, const ConvDesc &desc, const Launch &launch, Error *error);

}  // namespace libsgemm

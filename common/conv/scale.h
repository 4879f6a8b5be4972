// Multiplies a convolution's output in device memory by beta.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// By Backend::scale, which knows only matrices, in as few launches as the steps allow.
libsgemm_status_t scale_output(const Backend &table, const ConvDesc &desc, const Launch &launch, Error *error);

}  // namespace libsgemm

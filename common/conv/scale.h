// Multiplies a convolution's output by beta.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// Multiplies the output in device memory by beta. Backend::scale knows only matrices; launches are as few as the steps
// allow.
libsgemm_status_t scale_output(const Backend &table, const ConvDesc &desc, const Launch &launch, Error *error);

}  // namespace libsgemm

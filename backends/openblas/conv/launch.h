// Convolution kernels.
#pragma once

#include "blas.h"

namespace libsgemm {

template <libsgemm_math_mode_t MODE>
libsgemm_status_t openblas_conv(const ConvDesc &desc, const Launch &how, Error *error);

}  // namespace libsgemm

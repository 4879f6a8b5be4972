// Convolution kernels.
#pragma once

#include "blas.h"

namespace libsgemm {

// In FP32, FP64, or with inputs rounded to TF32, BF16 or FP16.
template <libsgemm_math_mode_t MODE>
libsgemm_status_t openblas_conv(const ConvDesc &desc, const Launch &how, Error *error);

}  // namespace libsgemm

// Products with sums in FP64.
#pragma once

#include "blas.h"

namespace libsgemm {

bool fp64_supports(const GemmDesc &d, int device);
libsgemm_status_t fp64_launch(const GemmDesc &d, const Launch &how, Error *error);

}  // namespace libsgemm

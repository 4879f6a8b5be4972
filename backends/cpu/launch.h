// Products in several threads, which share tiles of C and never k.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// Without a BLAS of the program, which may have another number.
int threads_by_default();

bool fp32_supports(const GemmDesc &desc, int device);
bool fp64_supports(const GemmDesc &desc, int device);
libsgemm_status_t fp32_launch(const GemmDesc &desc, const Launch &how, Error *error);
libsgemm_status_t fp64_launch(const GemmDesc &desc, const Launch &how, Error *error);

}  // namespace libsgemm

#pragma once

#include "contract/backend.h"

namespace libsgemm::cuda {

// Single products, on every architecture.
size_t elements_bytes(const GemmDesc &desc, int device);
libsgemm_status_t elements(const GemmDesc &desc, const ElementBound &bound, const float *before, const Launch &launch,
                           Error *error);

}  // namespace libsgemm::cuda

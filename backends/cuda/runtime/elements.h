// Verification of all elements of a product in device memory.
#pragma once

#include "contract/backend.h"

namespace libsgemm::cuda {

// Backend::elements_bytes and Backend::elements. They verify single products, on every architecture.
size_t elements_bytes(const GemmDesc &desc, int device);
libsgemm_status_t elements(const GemmDesc &desc, const ElementBound &bound, const float *before, const Launch &launch,
                           Error *error);

}  // namespace libsgemm::cuda

// The backend's kernel table. A row is a function in the file of its name under kernels/.
#pragma once

#include "backend.h"

namespace libsgemm::cuda {

// The rows in the order of the table; built at the first call.
const Kernel *kernels();
int kernel_count();

// Backend::scale: C = beta * C, for every routine and batch (kernels/scale.cu).
libsgemm_status_t scale(const GemmDesc &desc, const Launch &launch, Error *error);

}  // namespace libsgemm::cuda

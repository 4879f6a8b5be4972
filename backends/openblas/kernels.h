// The kernel table of openblas.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

extern const Kernel kOpenblasKernels[];
extern const int kOpenblasKernelCount;

}  // namespace libsgemm

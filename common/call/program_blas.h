// The BLAS that the program has, as the drop-in found it.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// The first that was found; NULL if there is none, or no call came by the drop-in.
const CpuBlas *program_blas();

}  // namespace libsgemm

// The program's own CPU BLAS, as the drop-in found it.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// Returns the first BLAS that was found; NULL if there is none, or no call came through the drop-in.
const CpuBlas *program_blas();

}  // namespace libsgemm

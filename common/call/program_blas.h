// The CPU BLAS that the program would call without the drop-in.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// The first one found. NULL: none, or no call through the drop-in.
const CpuBlas *program_blas();

}  // namespace libsgemm

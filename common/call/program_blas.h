#pragma once

#include "contract/backend.h"

namespace libsgemm {

// The program's own CPU BLAS, the first found. NULL: none, or no call through the drop-in.
const CpuBlas *program_blas();

}  // namespace libsgemm

// The program's own CPU BLAS, found by the drop-in.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// The first one found; NULL: none, or no call came through the drop-in.
const CpuBlas *program_blas();

}  // namespace libsgemm

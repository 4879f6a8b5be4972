// The pass of scheme tf32 (splits_write.cu), which several kernels share.
#pragma once

#include "gpu/splits/splits.h"

namespace libsgemm::cuda {

void (*tf32_pass())(gpu::PassProblem);

}  // namespace libsgemm::cuda

// The pass of scheme tf32, which several rows share (splits_write.cu).
#pragma once

#include "gpu/splits/splits.h"

namespace libsgemm::cuda {

void (*tf32_pass())(gpu::PassProblem);

}  // namespace libsgemm::cuda

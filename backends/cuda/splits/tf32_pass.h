// Several kernels share this pass (splits_write.cu).
#pragma once

#include "gpu/splits/splits.h"

namespace libsgemm::cuda {

void (*tf32_pass())(gpu::PassProblem);

}  // namespace libsgemm::cuda

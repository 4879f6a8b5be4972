#pragma once

#include "gpu/dynamic_shared.h"

namespace libsgemm::cuda {

using gpu::dynamic_shared;

}  // namespace libsgemm::cuda

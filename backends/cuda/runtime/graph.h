// Memory that lives as long as the graph whose kernels use it.
#pragma once

#include "gpu/runtime/scope.h"

namespace libsgemm::cuda {

using namespace gpu;

libsgemm_status_t keep_with_graph(int index, void *stream, void (*ended)(void *what), void *what, Error *error);

}  // namespace libsgemm::cuda

// Graphs that hold on to what their kernels use.
#pragma once

#include "gpu/runtime/scope.h"

namespace libsgemm::cuda {

using namespace gpu;

// The entry of the table.
libsgemm_status_t keep_with_graph(int index, void *stream, void (*ended)(void *what), void *what, Error *error);

}  // namespace libsgemm::cuda

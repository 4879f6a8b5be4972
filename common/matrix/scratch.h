// Memory of a thread that grows and is kept, so that calls allocate nothing once warm.
#pragma once

#include <cstddef>

namespace libsgemm {

// Returns at least `count` floats of the calling thread, aligned to 64 bytes. Contents are lost when the memory grows.
// NULL: out of memory. The library and each plugin have memory of their own.
float *thread_scratch(size_t count);

}  // namespace libsgemm

// Memory of a thread, grown and kept, so that calls allocate nothing once warm.
#pragma once

#include <cstddef>

namespace libsgemm {

// At least `count` floats, aligned to 64 bytes, of the calling thread; contents are lost when it grows. NULL: no
// memory. The library and each plugin have one of their own.
float *thread_scratch(size_t count);

}  // namespace libsgemm

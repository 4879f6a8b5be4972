#pragma once

#include <cstddef>

namespace libsgemm {

// Returns the thread's scratch memory for at least `count` floats, aligned to 64 bytes. It is kept, so that warm calls
// allocate nothing; growing loses the contents. NULL: out of memory. The library and each plugin have their own.
float *thread_scratch(size_t count);

}  // namespace libsgemm

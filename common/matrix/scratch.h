// A thread's memory, which grows and is kept: warm calls allocate nothing.
#pragma once

#include <cstddef>

namespace libsgemm {

// At least `count` floats, aligned to 64 bytes; growing loses the contents. NULL: out of memory. The library and each
// plugin have their own.
float *thread_scratch(size_t count);

}  // namespace libsgemm

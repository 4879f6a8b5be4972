// `__shared__` variables are thread-local: the thread-local segment of a kernel's library is its kernels' static shared
// memory, and nothing else.
#pragma once

#include <cstddef>

namespace simt {

struct SharedImage {
  char *base = nullptr;
  size_t bytes = 0;
};

// Empty for a kernel in the executable, whose thread-local data is not the kernels'.
SharedImage static_shared(const void *kernel);

// Fills with NaN.
void poison(void *memory, size_t bytes);

}  // namespace simt

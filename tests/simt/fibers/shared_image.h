// A kernel's static shared memory. `__shared__` variables are thread-local, so the thread-local segment of the kernel's
// library is exactly its kernels' static shared memory.
#pragma once

#include <cstddef>

namespace simt {

struct SharedImage {
  char *base = nullptr;
  size_t bytes = 0;
};

// Image of the library of the code at `kernel`; empty for the executable, whose thread-local data is not the kernels'.
SharedImage static_shared(const void *kernel);

// Fills with NaN.
void poison(void *memory, size_t bytes);

}  // namespace simt

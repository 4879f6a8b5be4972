// The static shared memory of a kernel. `__shared__` variables are thread-local in the kernel's shared library, so that
// library's thread-local segment is exactly the static shared memory of its kernels.
#pragma once

#include <cstddef>

namespace simt {

struct SharedImage {
  char *base = nullptr;
  size_t bytes = 0;
};

// Image of the library that holds the code at `kernel`. Empty if that is the executable, whose thread-local data is not
// the kernels'.
SharedImage static_shared(const void *kernel);

// Fills memory with NaN.
void poison(void *memory, size_t bytes);

}  // namespace simt

// Kernels whose machine code reassign_registers.py has changed; the build embeds it.
#pragma once

namespace libsgemm::cuda {

bool has_reassigned_kernels();

// The kernel `name` with reassigned registers, or else `plain`, the compiler's.
const void *reassigned_kernel(const char *name, const void *plain);

template <typename Function>
Function reassigned(const char *name, Function plain) {
  return reinterpret_cast<Function>(const_cast<void *>(reassigned_kernel(name, reinterpret_cast<const void *>(plain))));
}

}  // namespace libsgemm::cuda

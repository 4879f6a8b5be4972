// Kernels whose machine code reassign_registers.py has changed. The build embeds it in addition to the compiler's code.
#pragma once

namespace libsgemm::cuda {

// True if this build has code for sm_90a.
bool has_reassigned_kernels();

// Returns the kernel `name` with reassigned registers, or `plain`, the compiler's, if there is none. Both can be
// launched by address.
const void *reassigned_kernel(const char *name, const void *plain);

template <typename Function>
Function reassigned(const char *name, Function plain) {
  return reinterpret_cast<Function>(const_cast<void *>(reassigned_kernel(name, reinterpret_cast<const void *>(plain))));
}

}  // namespace libsgemm::cuda

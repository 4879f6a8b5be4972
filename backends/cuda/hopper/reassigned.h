// Kernels whose machine code reassign_registers.py has changed: the build embeds it beside what the compiler made.
#pragma once

namespace libsgemm::cuda {

// True if this build has code for sm_90a.
bool has_reassigned_kernels();

// The kernel `name` with its registers reassigned; `plain`, the same from the compiler, where the build could not
// do it. Both can be launched by address.
const void *reassigned_kernel(const char *name, const void *plain);

template <typename Function>
Function reassigned(const char *name, Function plain) {
  return reinterpret_cast<Function>(const_cast<void *>(reassigned_kernel(name, reinterpret_cast<const void *>(plain))));
}

}  // namespace libsgemm::cuda

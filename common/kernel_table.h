// Choosing a row of a backend's kernel table.
#pragma once

#include "backend.h"

namespace libsgemm {

// What a row's supports(), cost() and workspace() may depend on besides the numbers of the description: which pointers
// are NULL, and each one modulo this many bytes. The choice is remembered for the calls that follow.
constexpr uintptr_t kPointerAlignment = 16;

// The cheapest row that supports the description with at most `workspace_bytes` of workspace. Rows of the description's
// math mode come first; without one, those of FP32, which is never less accurate. NULL if there is none.
const Kernel *select_kernel(const Backend &backend, const GemmDesc &desc, int device, size_t workspace_bytes);

// Whether the same row is chosen for both, on one device within one workspace.
bool same_choice(const GemmDesc &x, const GemmDesc &y);

// Bytes of workspace a row needs.
inline size_t workspace_of(const Kernel &kernel, const GemmDesc &desc, int device) {
  return kernel.workspace != nullptr ? kernel.workspace(desc, device) : 0;
}

}  // namespace libsgemm

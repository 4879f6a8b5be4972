// Ownership of memory, streams and events by device contexts (Backend::context).
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// True if this thread may release what was made in `context`. That context may be gone, or another one may be current.
// Without a context (0) the backend itself refuses to touch the device.
inline bool can_give_back(const Backend &backend, int device, uint64_t context) {
  const uint64_t now = context_of(backend, device);
  return now == 0 || now == context;
}

}  // namespace libsgemm

// Contexts own memory, streams and events (Backend::context).
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// True if this thread may release what was made in `context`, which may be gone, or not current. Context 0: the backend
// itself refuses to touch the device.
inline bool can_give_back(const Backend &backend, int device, uint64_t context) {
  const uint64_t now = context_of(backend, device);
  return now == 0 || now == context;
}

}  // namespace libsgemm

// What belongs to a context of a device (Backend::context), and when it may be touched.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// Whether what was made in `context` may be given back by this thread: it may be gone, or is another context's. Where
// there is no context to be had the backend refuses by itself whatever would touch the device.
inline bool can_give_back(const Backend &backend, int device, uint64_t context) {
  const uint64_t now = context_of(backend, device);
  return now == 0 || now == context;
}

}  // namespace libsgemm

// Calls that are several launches: what a later one needs is loaded before the first one writes, so that a call fails
// with its output as it was.
#pragma once

#include "contract/backend.h"

namespace libsgemm::gpu {

// enqueue(launch), which returns a status; before it, if it is several launches, its rehearsal.
template <typename Enqueue>
libsgemm_status_t enqueue_rehearsed(const Launch &launch, bool several, const Enqueue &enqueue) {
  if (several && !launch.rehearsal) {
    Launch rehearsal = launch;
    rehearsal.rehearsal = true;
    const libsgemm_status_t status = enqueue(rehearsal);
    if (status != LIBSGEMM_SUCCESS) return status;
  }
  return enqueue(launch);
}

}  // namespace libsgemm::gpu

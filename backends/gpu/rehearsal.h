// A rehearsal loads what later launches of a call need before the first one writes, so that a failed call leaves its
// output unchanged.
#pragma once

#include "contract/backend.h"

namespace libsgemm::gpu {

// Calls enqueue(launch), after a rehearsal if it makes several launches.
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

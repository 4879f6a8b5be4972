// The vendor's libraries of AMD GPUs as peers, loaded at run time.
#pragma once

#include <memory>

#include "peers.h"

namespace command {

// Throw Error that says why it cannot be had.
std::unique_ptr<Peer> open_rocblas();
// The fastest of the algorithms that hipBLASLt's heuristic names for a call, found by timing them.
std::unique_ptr<Peer> open_hipblaslt();

}  // namespace command

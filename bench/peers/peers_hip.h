// AMD's libraries as peers, loaded at run time.
#pragma once

#include <memory>

#include "peers.h"

namespace command {

// Throw Error with the reason why the peer is not available.
std::unique_ptr<Peer> open_rocblas();
// The fastest of the algorithms that hipBLASLt's heuristic names for a call, found by timing them.
std::unique_ptr<Peer> open_hipblaslt();

}  // namespace command

// AMD's libraries as peers, loaded at run time.
#pragma once

#include <memory>

#include "peers.h"

namespace command {

// Throw Error: why the peer is missing.
std::unique_ptr<Peer> open_rocblas();
// The fastest algorithm of hipBLASLt's heuristic, by timing.
std::unique_ptr<Peer> open_hipblaslt();

}  // namespace command

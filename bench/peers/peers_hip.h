#pragma once

#include <memory>

#include "peers.h"

namespace command {

// Throw Error.
std::unique_ptr<Peer> open_rocblas();
std::unique_ptr<Peer> open_hipblaslt();

}  // namespace command

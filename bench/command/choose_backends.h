// Which backends a measurement runs.
#pragma once

#include <vector>

#include "command.h"
#include "library.h"
#include "peers/peers.h"

namespace command {

// Those that --backend names, or else that compute on operands in `memory`, and have the kernel that --kernel names.
// Throws Error.
std::vector<Backend> choose_backends(const BenchOptions &options, const Memory &memory);

}  // namespace command
